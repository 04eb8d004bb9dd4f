// All OpenCL devices of this machine.
#pragma once

#include "mdh/runtime/device.h"
#include "mdh/runtime/opencl/kernel.h"

namespace mdh::runtime::opencl {

const Runtime& runtime();

/// A kernel that was loaded in another way, for tests that compile many at once.
std::shared_ptr<const LoadedKernel> as_loaded(const Kernel& kernel);

}  // namespace mdh::runtime::opencl
