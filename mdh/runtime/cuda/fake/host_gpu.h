// For tests: a GPU that is not there. Its driver runs kernels on threads of the host (driver.cpp),
// and its compiler is that of the host (kernels.h).
#pragma once

#include "mdh/runtime/testing.h"

namespace mdh::runtime::cuda {

/// As long as it lives, the target cuda has this device and no other, also in processes that are
/// started meanwhile.
struct HostGpu {
  const Script nvcc{
      "if [ \"$1\" = --version ]; then echo of the host; else exec c++ -x c++ -std=c++17 -O1 -w "
      "-shared -fPIC -include " MDH_SOURCE_DIR
      "/mdh/runtime/cuda/fake/kernels.h -o \"$3\" \"$4\"; fi",
      "nvcc"};
  const TemporaryDirectory locks;
  const ScopedEnvironment its_own_turns{"MDH_DEVICE_LOCKS", locks.path().string()};
  const ScopedEnvironment driver{"MDH_LIBCUDA", MDH_FAKE_CUDA_FILE};
  const ScopedEnvironment no_nvrtc{"MDH_NVRTC", "off"};
  const ScopedEnvironment compiler{"MDH_NVCC", nvcc.path()};
  const ScopedEnvironment its_own_kind{"MDH_CUDA_ARCH", std::nullopt};
};

}  // namespace mdh::runtime::cuda
