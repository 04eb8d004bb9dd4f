// Memory of a device.
#pragma once

#include <memory>
#include <string>

#include "mdh/runtime/cuda/context.h"
#include "mdh/runtime/device.h"

namespace mdh::runtime::cuda {

/// A buffer of its own, aligned to 256 bytes. "Missing" (E616) if there is not that much; `what` is
/// its name there.
std::shared_ptr<const DeviceMemory> allocate(std::shared_ptr<const Context> context, int64_t bytes,
                                             const std::string& what);

/// Fills memory with a pattern that nobody expects. New memory is often zero by chance: kernels must
/// not rely on that, so that tests should not be able to, either.
void poison(const Context& context, const DeviceMemory& memory);

/// The first bytes of some memory become 0, in a stream.
void make_zero(const Context& context, void* memory, int64_t bytes, CuStream stream);

}  // namespace mdh::runtime::cuda
