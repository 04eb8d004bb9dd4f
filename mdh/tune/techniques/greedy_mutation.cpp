// Greedy mutation: small changes of the best point anyone has found.
#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

class GreedyMutation : public Strategy {
 public:
  explicit GreedyMutation(const SearchDomain& domain) : domain_(domain) {}

  std::optional<Proposal> propose(Random& random) override {
    if (!best_) return Proposal{domain_.sample(random)};
    Point point = domain_.mutate(*best_, random);
    while (random.chance(30)) point = domain_.mutate(point, random);
    return Proposal{std::move(point)};
  }

  void observe(size_t, double) override {}

  void notice(const Point& point, double cost) override {
    if (!(cost < cost_)) return;
    cost_ = cost;
    best_ = point;
  }

 private:
  const SearchDomain& domain_;
  std::optional<Point> best_;
  double cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Strategy> greedy_mutation(const SearchDomain& domain) {
  return std::make_unique<GreedyMutation>(domain);
}

}  // namespace mdh::tune
