// The compilers of CUDA on this machine and how they are called.
#pragma once

#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/cuda/arch.h"
#include "mdh/runtime/cuda/device.h"
#include "mdh/runtime/cuda/nvrtc.h"

namespace mdh::runtime::cuda {

/// NVRTC or nvcc.
struct Compiler {
  std::optional<Nvrtc> nvrtc;  // none: it is nvcc
  std::string path;            // the library or the program
  std::string fingerprint;     // changes with everything that may change what it compiles
};

/// NVRTC, or nvcc where there is no NVRTC. A configuration may ask for `nvrtc` or `nvcc`, or for
/// the path of the nvcc that is found; paths of others are refused (E620), because configurations
/// may come from strangers. "Missing" (E645) with a hint if there is none.
Compiler compiler_for(const kernel::Module& module, const Device& device);

/// What the compiler can build for a device: its own instruction set, else PTX of the nearest
/// earlier one, which the driver translates further. "Missing" (E647) if the device is older than
/// all that the compiler knows.
Arch arch_for(const Device& device, const Compiler& compiler);

/// What a compiler is told, but for files. The only place where this is put together.
struct CompileOptions {
  Arch arch;
  bool contract = true;
  bool tells_needs = false;             // prints registers and the like: resources_in_log
  std::vector<std::string> flags = {};  // of the configuration
};
std::vector<std::string> words_of(const CompileOptions& options);

/// The command that compiles a file. `worker` is the program that runs NVRTC (worker/worker.h).
std::vector<std::string> command_line(const Compiler& compiler, const CompileOptions& options,
                                      const std::string& worker, const std::string& source,
                                      const std::string& object);

}  // namespace mdh::runtime::cuda
