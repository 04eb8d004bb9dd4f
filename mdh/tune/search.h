// The loop of a search: ask, evaluate, tell, until a rule stops it or the space is exhausted.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mdh/tune/stop.h"
#include "mdh/tune/technique.h"

namespace mdh::tune {

struct Evaluation {
  Point point;
  Outcome outcome;
  double seconds = 0;  // since the search began, when the outcome was known
};

/// What a search has seen, in order.
class History {
 public:
  void add(Evaluation evaluation);
  size_t size() const { return evaluations_.size(); }
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }
  /// The cheapest evaluation; null as long as nothing was measured.
  const Evaluation* best() const;
  /// The evaluations by cost, cheapest first, failures left out; at most `count`.
  std::vector<const Evaluation*> ranking(size_t count) const;
  size_t without_gain(double gain) const;  // as in Progress

 private:
  std::vector<Evaluation> evaluations_;
  std::optional<size_t> best_;
  std::vector<size_t> improvements_;  // evaluations that became the best
};

/// One outcome for each point, in order. Called with up to `batch` points at once. Fewer outcomes:
/// the search is to end before the others, and nothing is known of them.
using Evaluate = std::function<std::vector<Outcome>(std::span<const Point>)>;

struct SearchOptions {
  size_t batch = 1;
  /// Part of a batch that is as good as a whole one: a technique that learns has to do so for every
  /// question.
  double filled = 1;
  /// What is known of a point without evaluating it: that it is not valid, or another spelling of
  /// one that was tried. The technique is told, and the point does not count.
  std::function<std::optional<Outcome>(const Point&)> known = [](const Point&) {
    return std::optional<Outcome>();
  };
  /// So many batches are asked for before the outcomes of the one that is evaluated are told, for
  /// whoever has to prepare them. `prepare` is called with each, in the order of their evaluation.
  /// What was asked for last may never be evaluated.
  size_t ahead = 0;
  std::function<void(std::span<const Point>)> prepare = [](std::span<const Point>) {};
  /// What was spent before the search began; rules count it.
  size_t evaluations_before = 0;
  double seconds_before = 0;
  std::function<void(const Evaluation&)> on_evaluation = [](const Evaluation&) {};
  /// Seconds since some moment; the steady clock if not given.
  std::function<double()> clock;
};

struct SearchResult {
  History history;
  std::string stopped_by;  // the reason of the rule, or "space exhausted"
  double asking = 0;       // seconds that the technique took to choose points
};

SearchResult search(Technique& technique, const Evaluate& evaluate, const StopRule& stop,
                    const SearchOptions& options = {});

}  // namespace mdh::tune
