// The reference semantics: what the right answer is.
#pragma once

#include <vector>

#include "mdh/hl/analysis.h"
#include "mdh/hl/mda.h"
#include "mdh/scalar/array.h"

namespace mdh::hl {

using scalar::Array;

/// The ordinary algebra of a program.
scalar::ScalarAlgebra algebra_of(const Program& p,
                                 scalar::Precision precision = scalar::Precision::declared);

/// Inputs of the wrong number, type or extents are user errors.
void check_inputs(const Program& p, const std::vector<Array>& inputs);

/// Called now and then with the share of the points that is done, from 0 to 1.
using Progress = std::function<void(double)>;

/// Output buffers from input buffers, both in declaration order. Elements that no access writes
/// stay undefined. Inputs of the wrong number, type or extents are user errors.
std::vector<Array> evaluate(const Program& p, const std::vector<Array>& inputs,
                            scalar::Algebra& algebra, const Progress& progress = {});
std::vector<Array> evaluate(const Program& p, const std::vector<Array>& inputs);

/// One element of the result before out_view, from the inputs it depends on: for checking samples
/// of large results.
std::vector<Value> evaluate_at(const Program& p, const std::vector<Array>& inputs,
                               scalar::Algebra& algebra, std::span<const int64_t> result_point);

// ---- the definitions, literally; slow, on any index sets

/// inp_view: at every point one value per input access.
Mda inp_view(const Program& p, const std::vector<Array>& inputs);

/// f at one point, as an MDA with a single point (index 0 in reduced dimensions).
Mda singleton(const Program& p, scalar::Algebra& algebra, std::span<const Value> inputs,
              std::span<const int64_t> point);

/// The combine operator of dimension d on two results.
Mda combined(const Program& p, scalar::Algebra& algebra, int d, const Mda& left, const Mda& right);

/// ⊛1 over i1 ( ... ⊛D over iD ( f ) )
Mda md_hom(const Program& p, scalar::Algebra& algebra, const Mda& input);

/// Two points that write one element must carry equal values.
std::vector<Array> out_view(const Program& p, const Mda& result);

}  // namespace mdh::hl
