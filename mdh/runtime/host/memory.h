// Memory for kernels on the host that notices who leaves it.
#pragma once

#include "mdh/runtime/device.h"

namespace mdh::runtime::host {

/// Aligned to cache lines. It ends where a page begins that must not be touched: a kernel that
/// reads or writes behind its buffer crashes at once, instead of spoiling what the process needs
/// later.
class GuardedMemory : public DeviceMemory {
 public:
  /// std::bad_alloc if there is none.
  explicit GuardedMemory(int64_t bytes);
  ~GuardedMemory() override;

  void* handle() const override { return pointer_; }
  void upload(const void* from) const override;
  void download(void* to) const override;
  void fill(int byte) const override;
  bool protect() const override;

 private:
  char* inside() const;

  void* block_;
  size_t size_;  // of the block, with a page before and behind what may be touched
  void* pointer_;
};

}  // namespace mdh::runtime::host
