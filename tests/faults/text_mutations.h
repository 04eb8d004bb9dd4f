// Mutations of printed kernels, one row each: of bounds, steps, guards, index expressions and
// places in the workspace. None of them makes an index larger than it was.
#pragma once

#include "mdh/kernel/module.h"
#include "tests/faults/mutation.h"

namespace mdh::test {

struct TextMutation {
  std::string name;
  std::optional<std::string> (*apply)(const kernel::Module& module, const Mutation& m);
};

const std::vector<TextMutation>& text_mutations();

}  // namespace mdh::test
