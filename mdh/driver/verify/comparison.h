// Outputs in memory against what they may be.
#pragma once

#include <string>

#include "mdh/driver/verify/yardstick.h"

namespace mdh::driver {

struct Comparison {
  bool right = true;
  double max_error = 0;   // the largest distance from the middle of an interval
  double bound = 0;       // what was allowed there
  std::string complaint;  // the first wrong element
};

/// Outputs in declaration order. Zeros are equal whatever their sign.
Comparison compare(const hl::Program& program, const Expected& expected, const Points& points,
                   std::span<void* const> outputs);

}  // namespace mdh::driver
