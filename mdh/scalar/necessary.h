// What has to hold for a condition to hold, and is asked sooner than the whole condition.
#pragma once

#include <optional>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

/// It can be computed in vain: nothing in it takes long, or is an error for some values.
bool is_cheap(const Expr& e);

/// Comparisons that a condition implies, so that `condition` is `necessary && condition`, and most
/// values need no more than the first half. All of it is cheap.
///
///   a.x == b.x && a.y == b.y  ||  a.x == b.x && p(a, b)  ||  a.y == b.y && a.z < 3
///   needs    a.x == b.x || a.y == b.y
///
/// Nothing where no few comparisons are implied, or the condition has hardly more of them itself.
std::optional<Expr> necessary(const Expr& condition);

}  // namespace mdh::scalar
