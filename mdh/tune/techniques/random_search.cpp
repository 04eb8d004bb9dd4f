// Random points: the measure of all other techniques.
#include <algorithm>

#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

class RandomStrategy : public Strategy {
 public:
  explicit RandomStrategy(const SearchDomain& domain) : domain_(domain) {}
  std::optional<Proposal> propose(Random& random) override {
    return Proposal{domain_.sample(random)};
  }
  void observe(size_t, double) override {}

 private:
  const SearchDomain& domain_;
};

// Without replacement.
class RandomSearch : public Technique {
 public:
  RandomSearch(const SearchDomain& domain, const TechniqueOptions& options)
      : unseen_(domain), random_(options.seed), candidates_(valid_candidates(domain, options)) {
    std::reverse(candidates_.begin(), candidates_.end());
  }

  std::vector<Point> ask(size_t count) override {
    std::vector<Point> points;
    while (points.size() < count) {
      std::optional<Point> point = next();
      if (!point) break;
      seen_.add(point->key());
      points.push_back(std::move(*point));
    }
    return points;
  }

  void tell(const Point& point, const Outcome&) override { seen_.add(point.key()); }

 private:
  std::optional<Point> next() {
    while (!candidates_.empty()) {
      Point point = std::move(candidates_.back());
      candidates_.pop_back();
      if (!seen_.has(point.key())) return point;
    }
    return unseen_.draw(seen_, random_);
  }

  Unseen unseen_;
  Random random_;
  std::vector<Point> candidates_;  // the first to be asked at the end
  Seen seen_;
};

}  // namespace

std::unique_ptr<Technique> random_search(const SearchDomain& domain,
                                         const TechniqueOptions& options) {
  return std::make_unique<RandomSearch>(domain, options);
}

std::unique_ptr<Strategy> random_strategy(const SearchDomain& domain) {
  return std::make_unique<RandomStrategy>(domain);
}

}  // namespace mdh::tune
