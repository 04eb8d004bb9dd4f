// What GPUs run: the names of their instruction sets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mdh::runtime::cuda {

/// "sm_90": code for GPUs of compute capability 9.0. "sm_90a" may use what only these have.
/// "compute_90" is PTX, which the driver of any later GPU translates further.
struct Arch {
  int number = 0;       // ten times the major number, and the minor one
  std::string variant;  // "a", "f", or nothing
  bool is_ptx = false;

  friend bool operator==(const Arch&, const Arch&) = default;
};

std::string to_string(const Arch& arch);

/// Nothing if the text names none.
std::optional<Arch> arch_from(std::string_view text);

/// MDH_CUDA_ARCH, which is for building without a GPU, or for another one than that of the device.
/// Nothing if it is not set, a user error (E648) if it cannot be read.
std::optional<Arch> arch_of_user();

}  // namespace mdh::runtime::cuda
