// Sources, built for a device. Only the sources of this folder include this header.
#pragma once

#include <span>

#include "mdh/kernel/module.h"
#include "mdh/runtime/opencl/handles.h"

namespace mdh::runtime::opencl {

/// All modules as one program. A source that is refused is a bug of mdh: the error shows the log
/// and the lines it talks about.
Owned<cl_program> build(std::span<const kernel::Module> modules, const Context::Handles& on);

}  // namespace mdh::runtime::opencl
