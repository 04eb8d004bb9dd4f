// Compiled CUDA modules, loaded into the context of a device and launched there.
#pragma once

#include <memory>

#include "mdh/kernel/module.h"
#include "mdh/runtime/build.h"
#include "mdh/runtime/cuda/context.h"
#include "mdh/runtime/device.h"

namespace mdh::runtime::cuda {

/// Loads what was built. A launched function is called with pointers to the buffers of all
/// arguments, outputs first, the workspace (null if it has no bytes), and one 64-bit integer per
/// Repeat around its launch, outermost first. The local memory of a launch is dynamic shared memory.
///
/// Handles of buffers are pointers to memory of the device, a stream is a CUstream.
std::shared_ptr<const LoadedKernel> load_kernel(const kernel::Module& module, const Object& object,
                                                std::shared_ptr<const Context> context);

}  // namespace mdh::runtime::cuda
