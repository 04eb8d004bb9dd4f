#include "mdh/tune/techniques/auto.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mdh::tune {

namespace {

enum class View { descend, explore };

constexpr size_t climbers = 4, ranked = 128, learned_from = 150;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Of a normal distribution, below `best`.
double expected_improvement(const Prediction& prediction, double best) {
  const double deviation = std::max(prediction.deviation, 1e-6);
  const double z = (best - prediction.mean) / deviation;
  const double below = 0.5 * std::erfc(-z * std::sqrt(0.5));
  const double density = std::exp(-0.5 * z * z) * 0.3989422804014327;
  return deviation * (z * below + density);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t n = 0; n < a.size(); ++n) sum += std::abs(a[n] - b[n]);
  return sum;
}

class Auto : public Technique {
 public:
  Auto(const SearchDomain& domain, const TechniqueOptions& options, const AutoOptions& own)
      : domain_(domain),
        own_(own),
        unseen_(domain),
        random_(options.seed),
        candidates_(valid_candidates(domain, options)),
        pool_(domain, own.pool) {}

  std::vector<Point> ask(size_t count) override {
    std::vector<Point> points;
    is_fresh_ = false;
    learned_.clear();
    ranked_.clear();
    while (points.size() < count) {
      std::optional<Point> point = next();
      if (!point) break;
      seen_.add(point->key());
      points.push_back(std::move(*point));
    }
    return points;
  }

  void tell(const Point& point, const Outcome& outcome) override {
    std::string key = point.key();
    seen_.add(key);
    const double cost = outcome.cost.value_or(infinity);
    believed_.erase(key);
    best_ = std::min(best_, cost);
    told_.push_back({point, domain_.features(point), cost});
  }

 private:
  struct Sample {
    Point point;
    std::vector<double> features;
    double cost;  // infinity if it failed
  };
  struct Choice {
    Point point;
    double value, mean;
  };

  std::optional<Point> next() {
    while (next_candidate_ < candidates_.size()) {
      const Point& point = candidates_[next_candidate_++];
      if (!seen_.has(point.key())) return point;
    }
    std::optional<Point> point;
    if (std::max(places_.size(), candidates_.size()) < own_.initial || best_ == infinity) {
      point = far_from_others();
    } else {
      point = guided();
    }
    return point ? point : unseen_.draw(seen_, random_);
  }

  std::optional<Point> far_from_others() {
    std::optional<Point> chosen;
    double farthest = -1;
    for (size_t n = 0; n < own_.spread; ++n) {
      Point point = domain_.sample(random_);
      if (seen_.has(point.key())) continue;
      const std::vector<double> place = domain_.coordinates(point);
      double nearest = infinity;
      for (const auto& other : places_) nearest = std::min(nearest, distance(place, other));
      if (nearest <= farthest) continue;
      farthest = nearest;
      chosen = std::move(point);
    }
    if (!chosen) chosen = unseen_.draw(seen_, random_);
    if (chosen) places_.push_back(domain_.coordinates(*chosen));
    return chosen;
  }

  View next_view() {
    exploration_ += pool_.is_whole() ? own_.explore : own_.explore_large;
    if (exploration_ < 1) return View::descend;
    exploration_ -= 1;
    return View::explore;
  }

  std::optional<Point> guided() {
    const View view = next_view();
    const std::optional<Choice> choice = pool_.is_whole() ? best_of_all(view) : next_best(view);
    if (!choice) return std::nullopt;
    const Point& point = choice->point;
    const double cost = unscaled(choice->mean, view);
    believed_.insert_or_assign(point.key(), Sample{point, domain_.features(point), cost});
    return point;
  }

  std::optional<Choice> best_of_all(View view) {
    const std::vector<Choice> choices = promising(learn(view), view, 1);
    return choices.empty() ? std::nullopt : std::optional(choices.front());
  }

  // In a large space one model answers all questions of a batch, each by the next point of its
  // pool: to learn anew and to look at all points again would take as long as measuring.
  std::optional<Choice> next_best(View view) {
    if (!is_fresh_) {
      climb(model_of(view), view);
      is_fresh_ = true;
    }
    auto found = ranked_.find(view);
    if (found == ranked_.end()) {
      std::vector<Choice> choices = promising(model_of(view), view, ranked);
      std::reverse(choices.begin(), choices.end());
      found = ranked_.emplace(view, std::move(choices)).first;
    }
    std::vector<Choice>& left = found->second;
    while (!left.empty() && seen_.has(left.back().point.key())) left.pop_back();
    return left.empty() ? std::nullopt : std::optional(left.back());
  }

  // A new pool, and one that climbs on the model from there.
  void climb(const Forest& forest, View view) {
    pool_.refill(best_points(), own_.pool.samples, random_);
    std::vector<Choice> choices = promising(forest, view, climbers);
    for (size_t n = 0; n < own_.climbs && !choices.empty(); ++n) {
      std::vector<Point> parents;
      for (const Choice& choice : choices) parents.push_back(choice.point);
      pool_.extend(parents, random_);
      const double before = choices.front().value;
      choices = promising(forest, view, climbers);
      if (choices.front().value <= before) break;
    }
  }

  // Some new points of the pool that are worth most, the best first.
  std::vector<Choice> promising(const Forest& forest, View view, size_t most) {
    const std::vector<uint32_t> open = considered();
    const std::vector<Prediction> predictions = forest.predict(pool_.features(), open);
    const double best = scaled(best_, view);
    std::vector<std::pair<double, size_t>> values;
    for (size_t n = 0; n < open.size(); ++n) {
      const Prediction& prediction = predictions[n];
      values.emplace_back(view == View::explore
                              ? -expected_improvement(prediction, best)
                              : prediction.mean - own_.optimism * prediction.deviation,
                          n);
    }
    const size_t count = std::min(values.size(), most);
    std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count),
                      values.end());
    std::vector<Choice> choices;
    for (size_t n = 0; n < count; ++n) {
      const auto& [value, place] = values[n];
      choices.push_back({pool_[open[place]], -value, predictions[place].mean});
    }
    return choices;
  }

  // New points of the pool, some left out if it is always the same.
  std::vector<uint32_t> considered() {
    const double part = pool_.is_whole() ? own_.considered : 1;
    std::vector<uint32_t> open;
    for (uint32_t n = 0; n < pool_.size(); ++n) {
      if (random_unit(random_) < part && !seen_.has(pool_.key(n))) open.push_back(n);
    }
    return open;
  }

  const Forest& model_of(View view) {
    auto found = learned_.find(view);
    if (found == learned_.end()) found = learned_.emplace(view, learn(view)).first;
    return found->second;
  }

  Forest learn(View view) {
    double worst = best_;
    for (const Sample& sample : told_) {
      if (sample.cost < infinity) worst = std::max(worst, sample.cost);
    }
    Matrix features;
    std::vector<double> targets;
    const auto add = [&](const Sample& sample) {
      features.add(sample.features);
      targets.push_back(scaled(std::min(sample.cost, worst), view));
    };
    for (const Sample* sample : worth_learning()) add(*sample);
    for (const auto& [_, sample] : believed_) add(sample);
    const ForestOptions& options =
        view == View::explore ? own_.explore_forest : own_.descend_forest;
    return Forest(features, targets, options, random_);
  }

  // All of a space that is scored as a whole. Of a large one as many as can be learned from in the
  // time of a measurement: the best ones, and others here and there.
  std::vector<const Sample*> worth_learning() const {
    std::vector<const Sample*> samples;
    for (const Sample& sample : told_) samples.push_back(&sample);
    if (pool_.is_whole() || samples.size() <= 2 * learned_from) return samples;
    std::nth_element(samples.begin(), samples.begin() + learned_from, samples.end(),
                     [](const Sample* a, const Sample* b) { return a->cost < b->cost; });
    const size_t step = (samples.size() - learned_from) / learned_from + 1;
    size_t kept = learned_from;
    for (size_t n = learned_from; n < samples.size(); n += step) samples[kept++] = samples[n];
    samples.resize(kept);
    return samples;
  }

  double scaled(double cost, View view) const {
    const double ratio = std::max(1.0, cost / best_);
    return std::log(view == View::explore ? ratio : ratio - 1 + own_.stretch);
  }

  double unscaled(double value, View view) const {
    return best_ * (view == View::explore ? std::exp(value) : std::exp(value) + 1 - own_.stretch);
  }

  std::vector<Point> best_points() const {
    std::vector<size_t> order(told_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto count = static_cast<std::ptrdiff_t>(std::min(pool_.parents(), order.size()));
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [&](size_t a, size_t b) { return told_[a].cost < told_[b].cost; });
    std::vector<Point> points;
    for (auto n = order.begin(); n != order.begin() + count; ++n) {
      points.push_back(told_[*n].point);
    }
    return points;
  }

  const SearchDomain& domain_;
  AutoOptions own_;
  Unseen unseen_;
  Random random_;
  std::vector<Point> candidates_;
  size_t next_candidate_ = 0;
  Pool pool_;
  Seen seen_;
  std::vector<std::vector<double>> places_;  // of the initial points
  std::vector<Sample> told_;
  std::map<std::string, Sample> believed_;
  std::map<View, Forest> learned_;              // for this batch
  std::map<View, std::vector<Choice>> ranked_;  // points of the pool, the best one last
  double best_ = infinity;
  double exploration_ = 0;
  bool is_fresh_ = false;  // the pool was filled for this batch
};

}  // namespace

std::unique_ptr<Technique> automatic(const SearchDomain& domain, const TechniqueOptions& options,
                                     const AutoOptions& own) {
  return std::make_unique<Auto>(domain, options, own);
}

}  // namespace mdh::tune
