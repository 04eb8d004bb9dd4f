// Mutations of concrete loop programs, one row each.
#pragma once

#include "tests/faults/mutation.h"

namespace mdh::test {

struct LoopMutation {
  std::string name;
  std::optional<loop::Program> (*apply)(const loop::Program& p, const Mutation& m);
};

const std::vector<LoopMutation>& loop_mutations();

}  // namespace mdh::test
