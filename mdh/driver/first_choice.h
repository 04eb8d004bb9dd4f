// Good configurations without measuring anything.
#pragma once

#include <vector>

#include "mdh/driver/search_space.h"
#include "mdh/model/rates.h"

namespace mdh::driver {

struct FirstChoiceOptions {
  size_t steps = 3000;  // configurations that are estimated
  size_t count = 1;     // how many are wanted
  uint64_t seed = 1;
  std::vector<tune::Point> starts;  // known points to begin with, e.g. of other sizes
};

struct EstimatedPoint {
  tune::Point point;
  double cost = 0;  // nanoseconds, estimated
};

/// Valid points, those with the least estimated cost first.
std::vector<EstimatedPoint> first_choice(const SearchSpace& space, const machine::Machine& machine,
                                         const model::Rates& rates,
                                         const FirstChoiceOptions& options);

}  // namespace mdh::driver
