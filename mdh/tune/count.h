// Arithmetic on the numbers of points.
#pragma once

#include "mdh/support/random.h"
#include "mdh/tune/domain.h"

namespace mdh::tune {

/// At most count_limit.
Count saturating_sum(Count a, Count b);
Count saturating_product(Count a, Count b);

/// Uniform in [0, bound).
Count random_below(Random& random, Count bound);

/// Uniform in [0, 1).
double random_unit(Random& random);

}  // namespace mdh::tune
