#include "mdh/runtime/worker/private_copies.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace mdh::runtime {
namespace {

constexpr size_t line = 64;

size_t rounded_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

PrivateCopies::PrivateCopies(const SharedBuffers& shared) : shared_(shared) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t n = 0; n < shared.bytes().size(); ++n) {
    const size_t used = rounded_up(static_cast<size_t>(shared.bytes()[n]), line);
    const size_t inside = rounded_up(used, page), size = inside + 2 * page;
    void* block = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
      release();
      throw std::bad_alloc();
    }
    blocks_.push_back({block, size});
    char* begin = static_cast<char*>(block) + page;
    if (inside > 0 && mprotect(begin, inside, PROT_READ | PROT_WRITE) != 0) {
      release();
      throw std::bad_alloc();
    }
    pointers_.push_back(begin + inside - used);
    std::memcpy(pointers_.back(), shared.pointers()[n], static_cast<size_t>(shared.bytes()[n]));
  }
}

PrivateCopies::~PrivateCopies() { release(); }

void PrivateCopies::release() {
  for (const Block& block : blocks_) munmap(block.begin, block.size);
}

void PrivateCopies::copy_back(const std::vector<bool>& is_output) const {
  for (size_t n = 0; n < pointers_.size(); ++n) {
    if (!is_output[n]) continue;
    std::memcpy(shared_.pointers()[n], pointers_[n], static_cast<size_t>(shared_.bytes()[n]));
  }
}

}  // namespace mdh::runtime
