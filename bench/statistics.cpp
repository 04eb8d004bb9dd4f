#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mdh/support/diagnostic.h"

namespace mdh::bench {
namespace {

/// From 1 on; those of equal values are the mean of the ranks that they take together.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (size_t n = begin; n < end; ++n) result[order[n]] = rank;
  }
  return result;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

double median_ratio(const std::vector<double>& peer, const std::vector<double>& ours) {
  internal_check(peer.size() == ours.size(), "{} rounds against {}", peer.size(), ours.size());
  std::vector<double> ratios;
  for (size_t round = 0; round < peer.size(); ++round) ratios.push_back(peer[round] / ours[round]);
  return median(ratios);
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::optional<double> spearman(const std::vector<double>& a, const std::vector<double>& b) {
  internal_check(a.size() == b.size(), "{} values against {}", a.size(), b.size());
  const std::vector<double> left = ranks(a), right = ranks(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double both = 0, left_only = 0, right_only = 0;
  for (size_t n = 0; n < a.size(); ++n) {
    both += (left[n] - mean) * (right[n] - mean);
    left_only += (left[n] - mean) * (left[n] - mean);
    right_only += (right[n] - mean) * (right[n] - mean);
  }
  if (left_only <= 0 || right_only <= 0) return std::nullopt;
  return both / std::sqrt(left_only * right_only);
}

}  // namespace mdh::bench
