// How much a measurement may cost in the parts of a search.
#pragma once

#include "mdh/tuning/candidates.h"

namespace mdh::tuning {

/// Of many: a first run, with all that it finds in no cache, decides whether there is a second one,
/// and only what beats the best then is measured further. Without a best, in microseconds, all is.
Effort screening(double best_us);

/// Of few: what comes close is measured, too.
Effort comparison(double best_us);

/// Of the last ones, every round.
Effort decision();

}  // namespace mdh::tuning
