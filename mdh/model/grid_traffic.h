// What has to come from the second cache and from memory.
#pragma once

#include "mdh/model/grid_work.h"

namespace mdh::model {

/// Bytes of the whole computation.
struct GridTraffic {
  double l2 = 0;
  double l2_of_inputs = 0;  // of that
  double memory = 0;  // 0 where everything fits the second cache, and is there from run to run
  double memory_of_outputs = 0, memory_of_inputs = 0;  // of that
};

/// `resident` groups of a multiprocessor run at the same time, and have so many bytes of its cache
/// for what they do not copy.
GridTraffic grid_traffic(const GridWork& work, int64_t resident, double cache);

/// All buffers, once.
double bytes_of_all(const Shape& shape);

}  // namespace mdh::model
