// What rounds of times say.
#pragma once

#include <optional>
#include <vector>

namespace mdh::bench {

/// The middle one; of an even number, the mean of the two in the middle. 0 without any.
double median(std::vector<double> values);

/// The value that a part of all, from 0 to 1, is not above; between two of them, on the straight
/// line. 0 without any.
double quantile(std::vector<double> values, double part);

/// The times of two candidates, round by round: the median of peer / ours over the rounds. What
/// disturbs a round disturbs both, so ratios are steadier than times.
double median_ratio(const std::vector<double>& peer, const std::vector<double>& ours);

/// 0 without any.
double geometric_mean(const std::vector<double>& values);

/// Spearman's rank correlation, from -1 (reversed) to 1 (the same order). Equal values share the
/// mean of their ranks. Nothing where there is no order: fewer than two pairs, or all values of a
/// side are equal.
std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace mdh::bench
