#include "mdh/tune/techniques/auto.h"

#include <algorithm>
#include <cmath>

#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

class Auto : public Technique {
 public:
  Auto(const SearchDomain& domain, const TechniqueOptions& options, const AutoOptions& own)
      : domain_(domain),
        own_(own),
        unseen_(domain),
        random_(options.seed),
        candidates_(valid_candidates(domain, options)),
        pool_(0),
        samples_(0) {
    const std::optional<Count> size = domain.size();
    if (size && *size <= own.whole) {
      is_whole_ = true;
      for (Count n = 0; n < *size; ++n) add_to_pool(domain.at(n));
    }
  }

  std::vector<Point> ask(size_t count) override {
    std::vector<Point> points;
    while (points.size() < count) {
      std::optional<Point> point = next();
      if (!point) break;
      mark(*point);
      points.push_back(std::move(*point));
    }
    return points;
  }

  void tell(const Point& point, const Outcome& outcome) override {
    mark(point);
    const std::vector<double> row = features(point);
    if (samples_.width() == 0) samples_ = Matrix(row.size());
    samples_.add(row);
    costs_.push_back(outcome.cost.value_or(-1));
    told_.push_back(point);
    if (outcome.cost && *outcome.cost < best_) best_ = *outcome.cost;
    is_fitted_ = false;
  }

 private:
  std::vector<double> features(const Point& point) const {
    std::vector<double> f = domain_.features(point);
    const size_t n = f.size();
    if (own_.features & 1) {
      for (size_t a = 0; a < n; ++a)
        for (size_t b = a + 1; b < n; ++b) f.push_back(f[a] + f[b]);
    }
    if (own_.features & 2) {
      for (size_t a = 0; a < n; ++a)
        for (size_t b = a + 1; b < n; ++b) f.push_back(f[a] - f[b]);
    }
    return f;
  }
  void add_to_pool(Point point) {
    const std::vector<double> row = features(point);
    if (pool_.width() == 0) pool_ = Matrix(row.size());
    std::string key = point.key();
    is_open_.push_back(!seen_.has(key));
    places_[key] = points_.size();
    points_.push_back(std::move(point));
    pool_.add(row);
  }

  void mark(const Point& point) {
    const std::string key = point.key();
    seen_.add(key);
    if (const auto found = places_.find(key); found != places_.end()) is_open_[found->second] = false;
  }

  std::optional<Point> next() {
    while (next_candidate_ < candidates_.size()) {
      const Point& point = candidates_[next_candidate_++];
      if (!seen_.has(point.key())) return point;
    }
    if (asked_initial_ < own_.initial) return initial();
    if (own_.random_share > 0 && random_unit(random_) < own_.random_share) return unseen_.draw(seen_, random_);
    std::optional<Point> point = guided();
    return point ? point : unseen_.draw(seen_, random_);
  }

  std::optional<Point> initial() {
    ++asked_initial_;
    std::optional<Point> best;
    double farthest = -1;
    for (size_t n = 0; n < own_.spread; ++n) {
      Point point = domain_.sample(random_);
      if (seen_.has(point.key())) continue;
      const std::vector<double> place = domain_.coordinates(point);
      double nearest = std::numeric_limits<double>::infinity();
      for (const auto& other : asked_places_) {
        double d = 0;
        for (size_t k = 0; k < place.size(); ++k) d += std::abs(place[k] - other[k]);
        nearest = std::min(nearest, d);
      }
      if (nearest > farthest) {
        farthest = nearest;
        best = point;
      }
    }
    if (!best) best = unseen_.draw(seen_, random_);
    if (best) asked_places_.push_back(domain_.coordinates(*best));
    return best;
  }

  double target(double cost, double worst) const {
    if (cost < 0) return worst;
    return own_.offset > 0 ? std::log(cost / best_ - 1 + own_.offset) : std::log(cost / best_);
  }

  void fit() {
    double worst = -1e300;
    targets_.clear();
    for (double cost : costs_) {
      if (cost >= 0) worst = std::max(worst, target(cost, 0));
    }
    if (worst < -1e299) worst = 0;
    for (double cost : costs_) targets_.push_back(target(cost, worst + own_.penalty));
    const Forest forest(samples_, targets_, own_.forest, random_);
    forest.predict(pool_, is_open_, predictions_);
    is_fitted_ = true;
  }

  double score(const Prediction& p, double best) const {
    if (own_.acquisition == 0) return p.mean - own_.kappa * p.deviation;
    const double s = std::max(p.deviation, 1e-6);
    const double z = (best - p.mean) / s;
    const double cdf = 0.5 * std::erfc(-z * 0.70710678);
    return -s * (z * cdf + 0.39894228 * std::exp(-0.5 * z * z));
  }

  std::optional<Point> guided() {
    if (told_.empty()) return std::nullopt;
    if (!is_whole_) refill();
    if (!is_fitted_) fit();
    const double best = *std::min_element(targets_.begin(), targets_.end());
    double least = std::numeric_limits<double>::infinity();
    size_t chosen = points_.size();
    for (size_t n = 0; n < points_.size(); ++n) {
      if (!is_open_[n]) continue;
      const double s = score(predictions_[n], best);
      if (s < least) {
        least = s;
        chosen = n;
      }
    }
    if (chosen == points_.size()) return std::nullopt;
    return points_[chosen];
  }

  void refill() {}

  const SearchDomain& domain_;
  AutoOptions own_;
  Unseen unseen_;
  Random random_;
  std::vector<Point> candidates_;
  size_t next_candidate_ = 0, asked_initial_ = 0;
  Seen seen_;
  bool is_whole_ = false, is_fitted_ = false;
  std::vector<Point> points_;
  std::unordered_map<std::string, size_t> places_;
  std::vector<bool> is_open_;
  std::vector<Prediction> predictions_;
  Matrix pool_, samples_;
  std::vector<double> costs_, targets_;
  std::vector<std::vector<double>> asked_places_;
  std::vector<Point> told_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Technique> automatic(const SearchDomain& domain, const TechniqueOptions& options,
                                     const AutoOptions& own) {
  return std::make_unique<Auto>(domain, options, own);
}

}  // namespace mdh::tune
