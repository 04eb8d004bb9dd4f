#include "mdh/runtime/worker/private_copies.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

namespace mdh::runtime {
namespace {

constexpr size_t line = 64;

size_t rounded_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/// The system gives every piece of shared memory one of its own.
uint64_t number_of(const SharedBuffers& shared) {
  struct stat about {};
  return fstat(shared.descriptor(), &about) == 0 ? static_cast<uint64_t>(about.st_ino) : 0;
}

}  // namespace

PrivateCopies::PrivateCopies(const SharedBuffers& shared, std::vector<bool> is_output)
    : is_output_(std::move(is_output)), bytes_(shared.bytes()), memory_(number_of(shared)) {
  try {
    for (size_t n = 0; n < bytes_.size(); ++n) add(shared, n);
  } catch (const std::bad_alloc&) {
    release();
    throw;
  }
}

PrivateCopies::~PrivateCopies() { release(); }

void PrivateCopies::add(const SharedBuffers& shared, size_t number) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto bytes = static_cast<size_t>(bytes_[number]);
  const size_t used = rounded_up(bytes, line);
  const size_t inside = rounded_up(used, page), size = inside + 2 * page;
  void* block = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  blocks_.push_back({block, size});
  char* begin = static_cast<char*>(block) + page;
  pointers_.push_back(begin + inside - used);
  if (inside == 0) return;
  if (mprotect(begin, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  std::memcpy(pointers_.back(), shared.pointers()[number], bytes);
}

void PrivateCopies::protect_inputs() const {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t n = 0; n < blocks_.size(); ++n) {
    const size_t inside = blocks_[n].size - 2 * page;
    if (is_output_[n] || inside == 0) continue;
    if (mprotect(static_cast<char*>(blocks_[n].begin) + page, inside, PROT_READ) != 0) {
      throw std::bad_alloc();
    }
  }
}

void PrivateCopies::release() {
  for (const Block& block : blocks_) munmap(block.begin, block.size);
}

bool PrivateCopies::are_of(const SharedBuffers& shared, const std::vector<bool>& is_output) const {
  return memory_ == number_of(shared) && bytes_ == shared.bytes() && is_output_ == is_output;
}

void PrivateCopies::fetch_outputs(const SharedBuffers& shared) const {
  for (size_t n = 0; n < pointers_.size(); ++n) {
    if (!is_output_[n]) continue;
    std::memcpy(pointers_[n], shared.pointers()[n], static_cast<size_t>(bytes_[n]));
  }
}

void PrivateCopies::store_outputs(const SharedBuffers& shared) const {
  for (size_t n = 0; n < pointers_.size(); ++n) {
    if (!is_output_[n]) continue;
    std::memcpy(shared.pointers()[n], pointers_[n], static_cast<size_t>(bytes_[n]));
  }
}

}  // namespace mdh::runtime
