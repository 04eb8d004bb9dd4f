// What rounds of times say.
#pragma once

#include <vector>

namespace mdh::bench {

/// The middle one; of an even number, the mean of the two in the middle. 0 without any.
double median(std::vector<double> values);

/// The times of two candidates, round by round: the median of peer / ours over the rounds. What
/// disturbs a round disturbs both, so ratios are steadier than times.
double median_ratio(const std::vector<double>& peer, const std::vector<double>& ours);

/// 0 without any.
double geometric_mean(const std::vector<double>& values);

}  // namespace mdh::bench
