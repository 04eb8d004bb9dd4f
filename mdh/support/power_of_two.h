// Numbers that are doubled from 1 on.
#pragma once

#include <bit>
#include <cstdint>

namespace mdh {

constexpr bool is_power_of_two(int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<uint64_t>(n));
}

}  // namespace mdh
