#include "mdh/runtime/together.h"

#include <algorithm>

namespace mdh::runtime {
namespace {

/// Calls that take longer are measured one by one: the clocks of GPUs tick twice in a microsecond.
constexpr double short_us = 100;
/// What many short calls should take together, and how many they are at most.
constexpr double together_us = 300;
constexpr int most_calls = 100;
/// What they take if the host is as slow as with one.
constexpr double most_host_us = 10'000;

}  // namespace

bool is_short(const Lap& alone) {
  return alone.device_us < short_us && alone.host_us < 10 * short_us;
}

int calls_together(const Lap& alone) {
  const double calls = std::min(together_us / std::max(alone.device_us, 1.0),
                                most_host_us / std::max(alone.host_us, 1.0));
  return std::clamp(static_cast<int>(calls), 2, most_calls);
}

}  // namespace mdh::runtime
