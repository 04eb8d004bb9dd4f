// This machine as a device: kernels are compiled by its C compilers and loaded into this process.
#pragma once

#include "mdh/runtime/device.h"
#include "mdh/runtime/host/library.h"

namespace mdh::runtime::host {

const Runtime& runtime();

/// Loads C by any compiler of this machine, with -O3 and for no special instruction set: what
/// checks others should not be compiled as they are.
LoadedKernels load_plainly(std::span<const kernel::Module> modules);

/// A kernel that was loaded in another way, for tests that choose compilers themselves.
std::shared_ptr<const LoadedKernel> as_loaded(const Kernel& kernel);

}  // namespace mdh::runtime::host
