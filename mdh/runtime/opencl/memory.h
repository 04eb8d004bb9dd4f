// The buffers of a kernel in the memory of a device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/opencl/context.h"

namespace mdh::runtime::opencl {

/// A buffer of its own in the memory of a device.
std::shared_ptr<const DeviceMemory> allocate(const Context& context, int64_t bytes,
                                             const std::string& what);

/// One buffer per argument, outputs first. All kernels whose modules have the same arguments can
/// run on it, so that they can be compared without copying again. Copies are the same memory.
class Memory {
 public:
  Memory(Context context, std::vector<kernel::Argument> arguments);

  /// From the host's memory, one pointer per argument. Outputs are copied as well: a kernel may
  /// leave elements as they were.
  void upload(std::span<void* const> buffers) const;

  /// The outputs, to the host's memory; pointers of inputs are not looked at.
  void download(std::span<void* const> buffers) const;

  const Context& context() const { return context_; }
  const std::vector<kernel::Argument>& arguments() const { return arguments_; }

  struct Buffers;  // OpenCL's own, in handles.h
  const Buffers& buffers() const { return *buffers_; }

 private:
  Context context_;
  std::vector<kernel::Argument> arguments_;
  std::shared_ptr<const Buffers> buffers_;
};

}  // namespace mdh::runtime::opencl
