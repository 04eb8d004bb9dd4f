#include "mdh/tuning/predicted_times.h"

#include <cmath>
#include <numeric>

#include "mdh/tune/forest.h"

namespace mdh::tuning {

std::vector<double> predicted_times(const tune::SearchDomain& space,
                                    const std::vector<RelativeTime>& known,
                                    const std::vector<tune::Point>& points, uint64_t seed) {
  if (known.empty() || points.empty()) return std::vector<double>(points.size(), 0.0);
  tune::Matrix samples, asked;
  std::vector<double> targets;
  for (const RelativeTime& sample : known) {
    samples.add(space.features(sample.point));
    targets.push_back(std::log(sample.time));
  }
  for (const tune::Point& point : points) asked.add(space.features(point));
  std::vector<uint32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0U);
  Random random(seed);
  const tune::Forest forest(samples, targets, {.min_leaf = 2, .features_tried = 0.4}, random);
  std::vector<double> times;
  for (const tune::Prediction& p : forest.predict(asked, all)) times.push_back(p.mean);
  return times;
}

}  // namespace mdh::tuning
