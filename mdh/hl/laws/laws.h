// What operators of the user must satisfy: those of known form do, others are tested. Broken laws
// show themselves quickly on well chosen values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/scalar/array.h"

namespace mdh::hl {

/// A law that does not hold, and where.
struct LawBreak {
  std::string law;             // "associative", "commutative", "a homomorphism"
  std::string counterexample;  // values for which it does not hold
};

/// Three values x, y, z with (x ⊕ y) ⊕ z ≠ x ⊕ (y ⊕ z), or two with x ⊕ y ≠ y ⊕ x, if some were
/// found for the operator of the reductions and prefix sums. Laws must hold where ⊕ is used, on
/// results of f and on combinations of them, not on all values of the type. Floats that differ by
/// no more than rounding may do to these operands are equal; where a number overflows, or where
/// rounding decides a comparison, nothing is concluded.
std::optional<LawBreak> broken_law(const Program& p, uint64_t seed);

/// The same for values that the program computes from these inputs.
std::optional<LawBreak> broken_law_on(const Program& p, const std::vector<scalar::Array>& inputs,
                                      uint64_t seed);

/// An array of two rows and two columns for which it matters whether rows are combined before
/// columns, and what comes out.
std::optional<std::string> exchange_counterexample(const Program& p, const CombineOperator& down,
                                                   const CombineOperator& across, uint64_t seed);

/// Throws a user error with a counterexample if an operator that the user defined breaks a law. The
/// built-in ones are known to keep them, and so are those of known form.
void check_laws(const Program& p);

/// The same on these inputs, for results that differ from the definition: before that is called a
/// bug, it should not be the operator.
void check_laws_on(const Program& p, const std::vector<scalar::Array>& inputs);

}  // namespace mdh::hl
