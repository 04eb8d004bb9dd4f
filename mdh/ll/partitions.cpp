#include "mdh/ll/partitions.h"

namespace mdh::ll {
namespace {

uint64_t product(uint64_t a, uint64_t b) {
  uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/// Ways to write an exponent as an ordered sum of `layers` numbers: C(exponent + layers - 1,
/// exponent).
uint64_t compositions(int exponent, int layers) {
  uint64_t ways = 1;
  for (int n = 1; n <= exponent; ++n) {
    const uint64_t next = product(ways, static_cast<uint64_t>(layers - 1 + n));
    if (next == UINT64_MAX) return UINT64_MAX;
    ways = next / static_cast<uint64_t>(n);
  }
  return ways;
}

}  // namespace

uint64_t exact_partitions(const std::vector<int64_t>& sizes, int layers) {
  uint64_t count = 1;
  for (int64_t rest : sizes) {
    for (int64_t prime = 2; prime * prime <= rest; ++prime) {
      int exponent = 0;
      for (; rest % prime == 0; rest /= prime) ++exponent;
      count = product(count, compositions(exponent, layers));
    }
    if (rest > 1) count = product(count, compositions(1, layers));
  }
  return count;
}

}  // namespace mdh::ll
