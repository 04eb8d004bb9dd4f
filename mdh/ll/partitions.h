// How many ways there are to cut an index set, counted without listing them.
#pragma once

#include <cstdint>
#include <vector>

namespace mdh::ll {

/// Assignments of part counts to `layers` layers whose product is exactly the size, in every
/// dimension: Π_d Π_p C(e_p + L - 1, L - 1) over the prime powers p^e_p of N_d. Saturates at
/// 2^64 - 1.
uint64_t exact_partitions(const std::vector<int64_t>& sizes, int layers);

}  // namespace mdh::ll
