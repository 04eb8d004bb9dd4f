// Record linkage as a plain loop.
#pragma once

#include <cstdint>

#include "examples/prl/data.h"

namespace mdh::examples {

/// A result record of prl.mdh.
struct Link {
  int32_t id;
  double weight;
  int8_t status;  // 0: no match, 1: possible match, 2: match
};

/// The existing record with the largest weight; of several the first.
Link best_partner(const Patient& a, const Patient* existing, int64_t count);

}  // namespace mdh::examples
