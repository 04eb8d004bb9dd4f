#include "mdh/tune/search.h"

#include <algorithm>
#include <chrono>
#include <deque>

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

class Search {
 public:
  Search(Technique& technique, const Evaluate& evaluate, const StopRule& stop,
         const SearchOptions& options)
      : technique_(technique),
        evaluate_(evaluate),
        stop_(stop),
        options_(options),
        clock_(options.clock ? options.clock : steady_seconds),
        begin_(clock_()) {}

  SearchResult run() {
    while (true) {
      if (auto reason = stop_.reason(progress())) {
        result_.stopped_by = *reason;
        return std::move(result_);
      }
      ask_ahead();
      if (waiting_.empty() && is_exhausted_) {
        result_.stopped_by = "space exhausted";
        return std::move(result_);
      }
      const std::vector<Point> points = next_waiting();
      take(points, points.empty() ? std::vector<Outcome>() : evaluate_(points));
    }
  }

 private:
  Progress progress() const {
    const History& history = result_.history;
    Progress progress{options_.evaluations_before + history.size(),
                      options_.seconds_before + clock_() - begin_};
    if (const Evaluation* best = history.best()) progress.best = best->outcome.cost;
    progress.without_gain = [&history](double gain) { return history.without_gain(gain); };
    return progress;
  }

  size_t asked_for() const {
    size_t count = 0;
    for (const std::vector<Point>& batch : waiting_) count += batch.size();
    return count;
  }

  void ask_ahead() {
    const double begin = clock_();
    while (waiting_.size() <= options_.ahead) {
      std::vector<Point> batch = next_batch();
      if (batch.empty()) break;
      options_.prepare(batch);
      waiting_.push_back(std::move(batch));
    }
    result_.asking += clock_() - begin;
  }

  std::vector<Point> next_waiting() {
    if (waiting_.empty()) return {};
    std::vector<Point> batch = std::move(waiting_.front());
    waiting_.pop_front();
    return batch;
  }

  /// Points of which nothing is known; none if there are no others, if it is time to stop, or if as
  /// many are asked for as may be evaluated.
  std::vector<Point> next_batch() {
    Progress later = progress();
    later.evaluations += asked_for();
    const size_t room = std::max<size_t>(waiting_.empty() ? 1 : 0, stop_.room(later));
    const size_t wanted = std::min(options_.batch, room);
    const double enough = options_.filled * static_cast<double>(wanted);
    std::vector<Point> points;
    if (wanted == 0) return points;
    for (bool again = false; static_cast<double>(points.size()) < enough; again = true) {
      if (again && stop_.reason(progress())) break;  // what is known may be all that is asked for
      const std::vector<Point> asked = technique_.ask(wanted - points.size());
      is_exhausted_ = asked.empty();
      if (is_exhausted_) break;
      for (const Point& point : asked) {
        if (const auto known = options_.known(point)) {
          technique_.tell(point, *known);
        } else {
          points.push_back(point);
        }
      }
    }
    return points;
  }

  void take(const std::vector<Point>& points, const std::vector<Outcome>& outcomes) {
    internal_check(outcomes.size() <= points.size(), "{} outcomes for {} points", outcomes.size(),
                   points.size());
    for (size_t n = 0; n < outcomes.size(); ++n) {
      technique_.tell(points[n], outcomes[n]);
      result_.history.add({points[n], outcomes[n], clock_() - begin_});
      options_.on_evaluation(result_.history.evaluations().back());
    }
  }

  Technique& technique_;
  const Evaluate& evaluate_;
  const StopRule& stop_;
  const SearchOptions& options_;
  std::function<double()> clock_;
  double begin_;
  bool is_exhausted_ = false;
  std::deque<std::vector<Point>> waiting_;  // asked for, in the order of their evaluation
  SearchResult result_;
};

}  // namespace

SearchResult search(Technique& technique, const Evaluate& evaluate, const StopRule& stop,
                    const SearchOptions& options) {
  return Search(technique, evaluate, stop, options).run();
}

}  // namespace mdh::tune
