// The buffers of a kernel as the worker gives them to it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mdh/runtime/device.h"
#include "mdh/runtime/worker/shared_buffers.h"

namespace mdh::runtime {

/// Copies of shared buffers in the memory of a device. On the host they are guarded
/// (host/memory.h): a kernel that leaves its buffers crashes.
class PrivateCopies {
 public:
  /// std::bad_alloc, or an error of kind "missing", if there is no memory.
  PrivateCopies(const Device& device, const SharedBuffers& shared, std::vector<bool> is_output);

  /// What kernels of the device are given.
  std::span<void* const> handles() const { return handles_; }

  /// From now on a kernel that writes to an input crashes, where the device can do that.
  void protect_inputs();

  /// Elsewhere it is found out afterwards: inputs are not what they are in the shared buffers. Of
  /// large ones a part is compared each time, another one than before, so that it takes some runs
  /// until a difference is found, which an earlier run may have made.
  enum class Inputs { intact, spoilt, spoilt_before };
  Inputs inputs_now(const SharedBuffers& shared);

  /// All of them are compared.
  bool are_inputs_spoilt(const SharedBuffers& shared);

  /// They are on this device and of the same memory, and the same buffers are outputs.
  bool are_of(const Device& device, const SharedBuffers& shared,
              const std::vector<bool>& is_output) const;

  /// The outputs as they are in the shared buffers, and back.
  void fetch_outputs(const SharedBuffers& shared) const;
  void fill_outputs(int byte) const;
  void store_outputs(const SharedBuffers& shared) const;

 private:
  std::string device_;
  std::vector<bool> is_output_;
  std::vector<int64_t> bytes_;
  uint64_t memory_ = 0;  // its number
  std::vector<std::shared_ptr<const DeviceMemory>> copies_;
  std::vector<void*> handles_;
  std::vector<size_t> unprotected_;  // inputs that should not change

  bool differs(const SharedBuffers& shared, size_t input, int64_t begin, int64_t bytes);
  std::vector<char> looked_at_;  // what was downloaded last
  int64_t looks_ = 0;
};

}  // namespace mdh::runtime
