#include "mdh/runtime/worker/private_copies.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace mdh::runtime {
namespace {

/// The system gives every piece of shared memory one of its own.
uint64_t number_of(const SharedBuffers& shared) {
  struct stat about {};
  return fstat(shared.descriptor(), &about) == 0 ? static_cast<uint64_t>(about.st_ino) : 0;
}

}  // namespace

PrivateCopies::PrivateCopies(const Device& device, const SharedBuffers& shared,
                             std::vector<bool> is_output)
    : device_(device.name()),
      is_output_(std::move(is_output)),
      bytes_(shared.bytes()),
      memory_(number_of(shared)) {
  for (size_t n = 0; n < bytes_.size(); ++n) {
    copies_.push_back(device.allocate(bytes_[n]));
    copies_.back()->upload(shared.pointers()[n]);
    handles_.push_back(copies_.back()->handle());
  }
}

void PrivateCopies::protect_inputs() {
  unprotected_.clear();
  for (size_t n = 0; n < copies_.size(); ++n) {
    if (!is_output_[n] && !copies_[n]->protect()) unprotected_.push_back(n);
  }
}

bool PrivateCopies::differs(const SharedBuffers& shared, size_t input, int64_t begin,
                            int64_t bytes) {
  if (bytes <= 0) return false;
  const auto count = static_cast<size_t>(bytes);
  if (looked_at_.size() < count) looked_at_.resize(count);
  copies_[input]->download_part(begin, bytes, looked_at_.data());
  const char* right = static_cast<const char*>(shared.pointers()[input]) + begin;
  return std::memcmp(looked_at_.data(), right, count) != 0;
}

PrivateCopies::Inputs PrivateCopies::inputs_now(const SharedBuffers& shared) {
  // The way from a device is slow: half a gigabyte takes as long as to compile a candidate.
  constexpr int64_t much = int64_t{16} << 20;
  const int64_t look = looks_++;
  for (const size_t n : unprotected_) {
    if (bytes_[n] <= much && differs(shared, n, 0, bytes_[n])) return Inputs::spoilt;
    if (bytes_[n] <= much) continue;
    const int64_t parts = (bytes_[n] + much - 1) / much, begin = look % parts * much;
    if (differs(shared, n, begin, std::min(much, bytes_[n] - begin))) return Inputs::spoilt_before;
  }
  return Inputs::intact;
}

bool PrivateCopies::are_inputs_spoilt(const SharedBuffers& shared) {
  for (const size_t n : unprotected_) {
    if (differs(shared, n, 0, bytes_[n])) return true;
  }
  return false;
}

bool PrivateCopies::are_of(const Device& device, const SharedBuffers& shared,
                           const std::vector<bool>& is_output) const {
  return device_ == device.name() && memory_ == number_of(shared) && bytes_ == shared.bytes() &&
         is_output_ == is_output;
}

void PrivateCopies::fetch_outputs(const SharedBuffers& shared) const {
  for (size_t n = 0; n < copies_.size(); ++n) {
    if (is_output_[n]) copies_[n]->upload(shared.pointers()[n]);
  }
}

void PrivateCopies::fill_outputs(int byte) const {
  for (size_t n = 0; n < copies_.size(); ++n) {
    if (is_output_[n]) copies_[n]->fill(byte);
  }
}

void PrivateCopies::store_outputs(const SharedBuffers& shared) const {
  for (size_t n = 0; n < copies_.size(); ++n) {
    if (is_output_[n]) copies_[n]->download(shared.pointers()[n]);
  }
}

}  // namespace mdh::runtime
