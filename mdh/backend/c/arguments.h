// The buffers of a program as the arguments of a module, and pieces of its workspace.
#pragma once

#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// Outputs first, then inputs, in declaration order. Says which of them may be the same memory.
std::vector<kernel::Argument> arguments_of(const loop::Program& p);

/// Bytes rounded up to whole cache lines: pieces of the workspace begin at lines of their own.
int64_t whole_lines(int64_t bytes);

}  // namespace mdh::backend
