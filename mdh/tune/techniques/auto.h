// Our own technique: a forest learned from the measurements says what to measure next.
#pragma once

#include "mdh/tune/forest.h"
#include "mdh/tune/technique.h"

namespace mdh::tune {

struct AutoOptions {
  size_t initial = 8;      // points measured before the model is asked
  size_t spread = 4;       // each the farthest of so many random points from those before it
  double kappa = 1;        // optimism
  double offset = 0.1;     // see target
  double penalty = 0;      // of failures
  int acquisition = 0;     // 0: LCB, 1: EI
  double local = 0;        // weight of neighbours
  double random_share = 0;
  int features = 0;
  ForestOptions forest;
  size_t whole = 4096;       // spaces up to this size are scored as a whole
  size_t parents = 8;        // else: neighbours of so many of the best points ...
  size_t random_pool = 500;  // ... and so many random points
};

std::unique_ptr<Technique> automatic(const SearchDomain& domain, const TechniqueOptions& options,
                                     const AutoOptions& own);

}  // namespace mdh::tune
