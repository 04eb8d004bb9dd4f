#include "bench/statistics.h"

#include <algorithm>
#include <cmath>

#include "mdh/support/diagnostic.h"

namespace mdh::bench {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
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

}  // namespace mdh::bench
