#include "mdh/runtime/worker/private_copies.h"

#include <sys/stat.h>

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

bool PrivateCopies::are_inputs_spoilt(const SharedBuffers& shared) const {
  std::vector<char> now;
  for (const size_t n : unprotected_) {
    now.resize(static_cast<size_t>(bytes_[n]));
    copies_[n]->download(now.data());
    if (!now.empty() && std::memcmp(now.data(), shared.pointers()[n], now.size()) != 0) return true;
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

void PrivateCopies::store_outputs(const SharedBuffers& shared) const {
  for (size_t n = 0; n < copies_.size(); ++n) {
    if (is_output_[n]) copies_[n]->download(shared.pointers()[n]);
  }
}

}  // namespace mdh::runtime
