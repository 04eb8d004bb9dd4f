// What is going to be fast, learned from what was measured.
#pragma once

#include <vector>

#include "mdh/tune/domain.h"

namespace mdh::tuning {

/// A time, relative to the best one by the same compiler.
struct RelativeTime {
  tune::Point point;
  double time = 1;
};

/// Logarithms of relative times of some points, in their order. Nothing is known: all the same.
std::vector<double> predicted_times(const tune::SearchDomain& space,
                                    const std::vector<RelativeTime>& known,
                                    const std::vector<tune::Point>& points, uint64_t seed);

}  // namespace mdh::tuning
