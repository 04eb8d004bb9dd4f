#include "mdh/calibration/memory.h"

#include <sys/mman.h>

namespace mdh::calibration {

Pages::Pages(size_t bytes) {
  void* const block =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return;
  begin_ = block;
  size_ = bytes;
}

Pages::~Pages() {
  if (begin_ != nullptr) munmap(begin_, size_);
}

void Pages::fill(size_t from, size_t to) const {
  for (size_t at = from; at < to; at += 4096) *reinterpret_cast<float*>(data() + at) = 1;
}

}  // namespace mdh::calibration
