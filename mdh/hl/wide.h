// Arithmetic on indices that does not overflow.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mdh::hl {

using Wide = __int128;

/// Indices beyond 2^62 are refused anyway (E216); until then they must not look like small ones.
inline int64_t clamped(Wide value) {
  constexpr Wide limit = Wide{1} << 62;
  return static_cast<int64_t>(std::clamp(value, -limit, limit));
}

}  // namespace mdh::hl
