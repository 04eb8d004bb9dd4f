// The buffers of a program as the arguments of a module.
#pragma once

#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// Outputs first, then inputs, in declaration order. Says which of them may be the same memory.
std::vector<kernel::Argument> arguments_of(const loop::Program& p);

}  // namespace mdh::backend
