// What a device can run at most.
#pragma once

#include <array>

#include "mdh/kernel/module.h"
#include "mdh/runtime/opencl/device.h"

namespace mdh::runtime::opencl {

/// What the driver says about a compiled function.
struct FunctionNeeds {
  int64_t max_work_group_size = 0;  // less than that of the device where registers are short
  int64_t local_bytes = 0;          // 0 also where the driver does not know
  /// Items of the groups that it was compiled for, along each axis; 0: any. Some drivers say that a
  /// function takes 256 items, although they have built it for 1024.
  std::array<int64_t, 3> built_for = {0, 0, 0};
};

/// A user error that names the limit and both numbers: the configuration asks for too much.
void check_limits(const kernel::Launch& launch, const FunctionNeeds& needs, const Device& device);

/// The same of local memory, as the printer counted it: before a compiler refuses the source in its
/// own words.
void check_local_memory(const kernel::Module& module, const Device& device);

/// Buffers of doubles need a device that has them.
void check_types(const kernel::Module& module, const Device& device);

}  // namespace mdh::runtime::opencl
