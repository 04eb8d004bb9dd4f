// Concrete loops as CUDA C++ without headers.
#pragma once

#include "mdh/backend/backend.h"
#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// The kernels of print_grid: members of the grid are blocks, their cores threads. What a block
/// shares is cut from one array whose size the launch says, so that it may be larger than 48 KB.
/// Copies into it that a configuration wants in flight are instructions of their own from compute
/// capability 8.0 on.
kernel::Module print_cuda(const loop::Program& program, const std::string& name);

/// Its row of the table of targets.
Backend cuda();

}  // namespace mdh::backend
