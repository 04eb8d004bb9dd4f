// How often a loop of a scalar function runs, where its text says so.
#pragma once

#include <optional>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

struct LoopRounds {
  double most = 0;
  bool may_end_early = false;  // the condition asks for something else as well
};

/// Known where the condition, or a part of it that has to hold, compares a counter with a number,
/// and the counter goes up or down by a number from a number: k < 9, 0 <= k, k != 8. Numbers are as
/// wide as they have to be: a counter whose type is too small for the end never gets there.
std::optional<LoopRounds> rounds_of(const Loop& loop);

}  // namespace mdh::scalar
