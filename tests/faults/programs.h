// Programs that faults are planted in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/scalar/array.h"
#include "mdh/support/random.h"

namespace mdh::test {

/// One computation, for some element types.
struct FaultProgram {
  std::string name;
  std::string text;                   // generic; its type parameter, if it has one, is T
  std::vector<scalar::Scalar> types;  // one that is not used, if there is no parameter
  bool is_catalogued = false;         // with data of its own, where it has some
};

const std::vector<FaultProgram>& fault_programs();

/// A concrete program: sizes in the order of the dimensions.
hl::Program instance_of(const FaultProgram& p, scalar::Scalar type,
                        const std::vector<int64_t>& sizes);

/// Small odd sizes, at most so many points together.
std::vector<int64_t> odd_sizes(const FaultProgram& p, int64_t points, Random& random);

/// Data that make sense, or nothing where numbers drawn at random do.
using Inputs = std::function<std::vector<scalar::Array>()>;
Inputs own_inputs(const FaultProgram& p, scalar::Scalar type, const hl::Program& program,
                  uint64_t seed);

}  // namespace mdh::test
