#include "mdh/tune/search.h"

#include <algorithm>
#include <chrono>

#include "mdh/support/diagnostic.h"

namespace mdh::tune {

void History::add(Evaluation evaluation) {
  const std::optional<double>& cost = evaluation.outcome.cost;
  if (cost && (!best_ || *cost < *evaluations_[*best_].outcome.cost)) {
    best_ = evaluations_.size();
    improvements_.push_back(*best_);
  }
  evaluations_.push_back(std::move(evaluation));
}

const Evaluation* History::best() const { return best_ ? &evaluations_[*best_] : nullptr; }

std::vector<const Evaluation*> History::ranking(size_t count) const {
  std::vector<const Evaluation*> result;
  for (const Evaluation& evaluation : evaluations_) {
    if (evaluation.outcome.cost) result.push_back(&evaluation);
  }
  std::stable_sort(result.begin(), result.end(), [](const Evaluation* a, const Evaluation* b) {
    return *a->outcome.cost < *b->outcome.cost;
  });
  if (result.size() > count) result.resize(count);
  return result;
}

// Small gains add up: what counts is the last cost that was a gain over the one counted before.
size_t History::without_gain(double gain) const {
  if (improvements_.empty()) return size();
  size_t last = improvements_.front();
  for (size_t n : improvements_) {
    const double before = *evaluations_[last].outcome.cost, now = *evaluations_[n].outcome.cost;
    if (now < before * (1 - gain)) last = n;
  }
  return size() - last - 1;
}

namespace {

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Progress progress_of(const History& history, double seconds) {
  Progress progress{history.size(), seconds};
  if (const Evaluation* best = history.best()) progress.best = best->outcome.cost;
  progress.without_gain = [&history](double gain) { return history.without_gain(gain); };
  return progress;
}

}  // namespace

SearchResult search(Technique& technique, const Evaluate& evaluate, const StopRule& stop,
                    const SearchOptions& options) {
  const auto clock = options.clock ? options.clock : steady_seconds;
  const double begin = clock();
  SearchResult result;
  while (true) {
    const Progress progress = progress_of(result.history, clock() - begin);
    if (auto reason = stop.reason(progress)) {
      result.stopped_by = *reason;
      return result;
    }
    const size_t room = std::max<size_t>(1, stop.room(progress));
    const std::vector<Point> points = technique.ask(std::min(options.batch, room));
    if (points.empty()) {
      result.stopped_by = "space exhausted";
      return result;
    }
    const std::vector<Outcome> outcomes = evaluate(points);
    internal_check(outcomes.size() == points.size(), "{} outcomes for {} points", outcomes.size(),
                   points.size());
    for (size_t n = 0; n < points.size(); ++n) {
      technique.tell(points[n], outcomes[n]);
      result.history.add({points[n], outcomes[n], clock() - begin});
      options.on_evaluation(result.history.evaluations().back());
    }
  }
}

}  // namespace mdh::tune
