// The functions of a built program. Only the sources of this folder include this header.
#pragma once

#include <map>
#include <string>

#include "mdh/kernel/module.h"
#include "mdh/runtime/opencl/handles.h"
#include "mdh/runtime/opencl/limits.h"

namespace mdh::runtime::opencl {

using Functions = std::map<std::string, Owned<cl_kernel>>;

/// All that a module launches, checked: they exist, take the arguments that they get, and keep the
/// limits of the device.
Functions functions_of(const kernel::Module& module, cl_program program,
                       const Context::Handles& on);

/// What the driver says about a built function.
FunctionNeeds needs_of(cl_kernel function, const Context::Handles& on);

}  // namespace mdh::runtime::opencl
