#include "mdh/runtime/worker/shared_buffers.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mdh/support/diagnostic.h"

namespace mdh::runtime {
namespace {

constexpr size_t page = 4096;

size_t rounded(int64_t bytes) { return (static_cast<size_t>(bytes) + page - 1) / page * page; }

size_t size_of_all(const std::vector<int64_t>& bytes) {
  size_t size = page;  // a block of nothing cannot be mapped
  for (const int64_t one : bytes) size += rounded(one);
  return size;
}

[[noreturn]] void no_memory(size_t size, int error) {
  missing("E603",
          fmt::format("no shared memory for buffers of {} bytes: {}", size, std::strerror(error)),
          "use a smaller size, or allow more ('ulimit -a' shows the limits of memory and files)");
}

}  // namespace

SharedBuffers::SharedBuffers(const std::vector<int64_t>& bytes)
    : bytes_(bytes), descriptor_(memfd_create("mdh", MFD_CLOEXEC)), size_(size_of_all(bytes)) {
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
    const int error = errno;
    if (descriptor_ >= 0) close(descriptor_);
    no_memory(size_, error);
  }
  map();
}

SharedBuffers::SharedBuffers(int descriptor, const std::vector<int64_t>& bytes)
    : bytes_(bytes), descriptor_(descriptor), size_(size_of_all(bytes)) {
  struct stat status {};
  const bool fits =
      fstat(descriptor_, &status) == 0 && static_cast<size_t>(status.st_size) == size_;
  if (!fits) close(descriptor_);
  internal_check(fits, "a block of {} bytes does not hold the buffers", status.st_size);
  map();
}

void SharedBuffers::map() {
  block_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (block_ == MAP_FAILED) {
    const int error = errno;
    close(descriptor_);
    no_memory(size_, error);
  }
  auto* next = static_cast<char*>(block_);
  for (const int64_t one : bytes_) {
    pointers_.push_back(next);
    next += rounded(one);
  }
}

SharedBuffers::~SharedBuffers() {
  munmap(block_, size_);
  close(descriptor_);
}

}  // namespace mdh::runtime
