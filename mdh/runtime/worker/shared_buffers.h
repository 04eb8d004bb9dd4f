// The buffers of a kernel in memory that another process can map.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mdh::runtime {

/// One block of shared memory without a name, so that nothing is left of it when the last process
/// that uses it ends, however it ends. Filled with zeros; buffers are aligned to pages.
class SharedBuffers {
 public:
  /// "Missing" if there is not that much memory.
  explicit SharedBuffers(const std::vector<int64_t>& bytes);

  /// Maps what another process made; it sent the descriptor, which now belongs to the object.
  SharedBuffers(int descriptor, const std::vector<int64_t>& bytes);

  ~SharedBuffers();
  SharedBuffers(const SharedBuffers&) = delete;
  SharedBuffers& operator=(const SharedBuffers&) = delete;

  std::span<void* const> pointers() const { return pointers_; }
  const std::vector<int64_t>& bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }

 private:
  void map();

  std::vector<int64_t> bytes_;
  int descriptor_ = -1;
  size_t size_ = 0;  // of the whole block
  void* block_ = nullptr;
  std::vector<void*> pointers_;
};

}  // namespace mdh::runtime
