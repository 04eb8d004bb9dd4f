// What a device can run at most.
#pragma once

#include "mdh/kernel/module.h"
#include "mdh/runtime/cuda/device.h"

namespace mdh::runtime::cuda {

/// What the driver says about a loaded function.
struct FunctionNeeds {
  int64_t max_threads = 0;   // of a block; fewer than on the device where registers are short
  int64_t shared_bytes = 0;  // of a block, besides what its launch asks for
  int64_t stack_bytes = 0;   // of a thread, in its part of the device's memory
  int64_t registers = 0;     // of a thread
};

/// All launches of a module, before it is compiled: a user error (E615) that names the limit and
/// both numbers, if the configuration asks for too much.
void check_launches(const kernel::Module& module, const Device& device);

/// The same of what only the compiler decides.
void check_function(const kernel::Launch& launch, const FunctionNeeds& needs, const Device& device);

}  // namespace mdh::runtime::cuda
