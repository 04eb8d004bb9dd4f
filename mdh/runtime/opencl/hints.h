// What errors about missing parts of OpenCL advise.
#pragma once

namespace mdh::runtime::opencl {

/// PoCL runs on the CPU and is there on every machine with a package manager; the driver of a GPU
/// brings its own.
inline constexpr const char* what_to_install =
    "apt-get install ocl-icd-libopencl1 pocl-opencl-icd, or install the driver of your device";

}  // namespace mdh::runtime::opencl
