// Mutations of f and of the combine operator, one row each.
#pragma once

#include "tests/faults/mutation.h"

namespace mdh::test {

struct FunctionMutation {
  std::string name;
  std::optional<loop::Program> (*apply)(const loop::Program& p, const Mutation& m);
};

const std::vector<FunctionMutation>& function_mutations();

}  // namespace mdh::test
