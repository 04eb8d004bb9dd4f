// Our own technique: a forest, learned from what was measured, says what to measure next.
//
// It begins with the candidates it is given and a few points that lie far apart. From then on the
// questions alternate between two views of the same measurements:
//
//   - descend: costs on a scale that is stretched near the best one, log(cost / best - 1 +
//   stretch),
//     and the point of the lowest optimistic prediction, mean - optimism * deviation. It follows
//     small differences between good points.
//   - explore: the logarithm of the cost, larger leaves, and the point of the largest expected
//     improvement. On a plateau of good points, which the first view would measure one by one,
//     it prefers those of which little is known.
//
// Failures count as the worst cost measured. Points that were asked for and not told yet count as
// what was predicted, so that a batch is not the same point in several spellings.
#pragma once

#include "mdh/tune/forest.h"
#include "mdh/tune/technique.h"
#include "mdh/tune/techniques/pool.h"

namespace mdh::tune {

/// How the numbers were chosen is in README.md.
struct AutoOptions {
  size_t initial = 8;     // points measured before the model is asked
  size_t spread = 12;     // each the farthest of so many random points
  double stretch = 0.02;  // of the scale of costs near the best
  double optimism = 1;
  double explore = 0.5;        // part of the questions, in a space that is scored as a whole
  double explore_large = 0.2;  // the same in a larger one, where going down pays for longer
  double considered = 0.25;    // part of such a space that a question is chosen from
  size_t climbs = 3;           // steps on the model in a larger one
  ForestOptions descend_forest = {.trees = 48, .min_leaf = 2, .features_tried = 0.4, .sums = 0.8};
  ForestOptions explore_forest = {.trees = 48, .min_leaf = 3, .features_tried = 0.4, .sums = 0};
  PoolOptions pool;
};

std::unique_ptr<Technique> automatic(const SearchDomain& domain, const TechniqueOptions& options,
                                     const AutoOptions& own = {});

}  // namespace mdh::tune
