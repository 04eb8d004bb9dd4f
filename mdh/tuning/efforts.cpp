#include "mdh/tuning/efforts.h"

#include <algorithm>

namespace mdh::tuning {
namespace {

/// As many runs as there is time for: few that agree may all be disturbed.
runtime::TimingLimits runs_for(double seconds, double best_us) {
  const int least = static_cast<int>(std::clamp(seconds * 1e6 / best_us, 1.0, 50.0));
  return {.warm_up = 0, .least = least, .most = 1000, .seconds = seconds, .accuracy = 0};
}

}  // namespace

Effort screening(double best_us) {
  constexpr double cold_us = 1000;
  Effort effort;
  if (best_us <= 0) return effort;
  effort.give_up_us = 1.1 * best_us + cold_us;
  effort.look = runs_for(0.005, best_us);
  effort.look_us = best_us;
  effort.limits = runs_for(0.02, best_us);
  effort.best_us = best_us;
  return effort;
}

Effort comparison(double best_us) {
  Effort effort = screening(best_us);
  if (best_us <= 0) return effort;
  effort.look_us = 1.03 * best_us;
  effort.limits = runs_for(0.06, best_us);
  effort.limits.least = std::max(3, effort.limits.least);
  return effort;
}

Effort decision() {
  return {.limits = {.warm_up = 1, .least = 3, .most = 3000, .seconds = 0.1, .accuracy = 0}};
}

}  // namespace mdh::tuning
