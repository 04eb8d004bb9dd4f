// From sketch to sketch: a local search by estimates.
#pragma once

#include <cstdint>
#include <vector>

#include "mdh/model/grid_rates.h"
#include "mdh/search/grid_sketch.h"

namespace mdh::search {

struct GridCandidate {
  GridSketch sketch;
  double cost = 0;  // nanoseconds, estimated
};

/// Takes every change that helps, in an order of its own, until none does or it has looked at many:
/// all that it came by, the last one being the best. Several may walk at the same time.
std::vector<GridCandidate> grid_walk(GridSketch start, const machine::Machine& machine,
                                     const model::GridRates& rates, uint64_t seed);

}  // namespace mdh::search
