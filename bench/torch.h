// The PyTorch of this machine: a library of its own, and on x86-64 the home of a oneMKL.
#pragma once

#include <string>

namespace mdh::bench {

struct TorchPackage {
  std::string folder;   // of the Python package, with lib/libtorch_cpu.so in it
  std::string absence;  // why there is none
};

/// What MDH_TORCH names, else what python3 would import. Looked for once.
const TorchPackage& torch_package();

}  // namespace mdh::bench
