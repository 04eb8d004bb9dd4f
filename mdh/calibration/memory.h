// Memory to measure on: pages of its own.
#pragma once

#include <cstddef>

namespace mdh::calibration {

/// Pages as the buffers of a worker have them. Nothing is there until it is written.
class Pages {
 public:
  /// Empty if there is not that much memory.
  explicit Pages(size_t bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  bool empty() const { return begin_ == nullptr; }
  size_t size() const { return size_; }
  char* data() const { return static_cast<char*>(begin_); }

  /// Writes 1.0F to the beginning of every page between two bytes; the rest is zero. Arithmetic is
  /// fast on both.
  void fill(size_t from, size_t to) const;

 private:
  void* begin_ = nullptr;
  size_t size_ = 0;
};

}  // namespace mdh::calibration
