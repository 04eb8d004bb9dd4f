// Recordings as tables for people.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu/recording.h"

namespace mdh::bench::gpu {

/// Time of a candidate over time of mdh: the median of the ratios of all rounds; 0 if one of them
/// was not measured so.
double ratio(const Row& row, const Entry& entry, runtime::Caches caches);

/// The fastest library; none if there is none.
const Entry* best_peer(const Row& row, runtime::Caches caches);

/// Of the ratios of the best peers; 0 without any.
double mean_over_best_peers(const std::vector<Row>& rows, runtime::Caches caches);

/// For warm and for cold caches, as far as they were measured, a row per workload: mdh, its best
/// peer, their ratio and their deviations from f64. Below them the times of all candidates, and a
/// line about each.
std::string to_table(const std::vector<Recording>& recordings);

}  // namespace mdh::bench::gpu
