// When a search ends. Rules are values and compose.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mdh::tune {

struct Progress {
  size_t evaluations = 0;
  double seconds = 0;
  std::optional<double> best;  // the lowest cost so far
  /// Evaluations since the best cost last fell by at least the given part of itself.
  std::function<size_t(double gain)> without_gain;
};

struct StopRule {
  /// Why the search ends now; nothing if it goes on.
  std::function<std::optional<std::string>(const Progress&)> reason;
  /// How many more evaluations may start: a batch is cut to it.
  std::function<size_t(const Progress&)> room = [](const Progress&) {
    return std::numeric_limits<size_t>::max();
  };
};

StopRule after_evaluations(size_t count);
StopRule after_seconds(double seconds);

/// After `evaluations` in a row none of which lowered the best cost by more than `gain`, a part of
/// it: 0.01 is one per cent.
StopRule on_plateau(size_t evaluations, double gain = 0);

/// As soon as the best cost is at most this.
StopRule at_cost(double cost);

/// When something outside says so, e.g. the user.
StopRule when(std::function<bool()> asked_to, std::string reason = "interrupted");

/// Never by itself: until the space is exhausted.
StopRule never_stop();

/// As soon as one of them says so; the reason is that of the first one.
StopRule any_of(std::vector<StopRule> rules);

/// The same rule with another reason.
StopRule called(std::string reason, StopRule rule);

/// The same rule, but not as long as there is an excuse to go on.
StopRule unless(std::function<bool()> excuse, StopRule rule);

}  // namespace mdh::tune
