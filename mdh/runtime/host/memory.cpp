#include "mdh/runtime/host/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace mdh::runtime::host {
namespace {

constexpr size_t line = 64;

size_t rounded_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

GuardedMemory::GuardedMemory(int64_t bytes) : DeviceMemory(bytes) {
  const size_t used = rounded_up(static_cast<size_t>(bytes), line);
  const size_t touched = rounded_up(used, page_bytes());
  size_ = touched + 2 * page_bytes();
  block_ = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block_ == MAP_FAILED) throw std::bad_alloc();
  pointer_ = inside() + touched - used;
  if (touched > 0 && mprotect(inside(), touched, PROT_READ | PROT_WRITE) != 0) {
    munmap(block_, size_);
    throw std::bad_alloc();
  }
}

GuardedMemory::~GuardedMemory() { munmap(block_, size_); }

char* GuardedMemory::inside() const { return static_cast<char*>(block_) + page_bytes(); }

void GuardedMemory::upload(const void* from) const {
  if (bytes() > 0) std::memcpy(pointer_, from, static_cast<size_t>(bytes()));
}

void GuardedMemory::download(void* to) const {
  if (bytes() > 0) std::memcpy(to, pointer_, static_cast<size_t>(bytes()));
}

void GuardedMemory::fill(int byte) const {
  if (bytes() > 0) std::memset(pointer_, byte, static_cast<size_t>(bytes()));
}

bool GuardedMemory::protect() const {
  const size_t touched = size_ - 2 * page_bytes();
  if (touched > 0 && mprotect(inside(), touched, PROT_READ) != 0) throw std::bad_alloc();
  return true;
}

}  // namespace mdh::runtime::host
