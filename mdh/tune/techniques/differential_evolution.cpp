// Differential evolution: a population whose members step along differences of others.
#include <algorithm>

#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

constexpr size_t population = 20;
constexpr double crossover = 0.5;

class DifferentialEvolution : public Strategy {
 public:
  explicit DifferentialEvolution(const SearchDomain& domain) : domain_(domain) {}

  std::optional<Proposal> propose(Random& random) override {
    const bool is_filled = members_.size() >= population;
    const size_t target = is_filled ? next_++ % population : no_ticket;
    std::vector<double> place =
        is_filled ? trial(target, random) : domain_.coordinates(domain_.sample(random));
    Point point = domain_.nearest(place);
    trials_.push_back({std::move(place), target});
    return Proposal{std::move(point), trials_.size() - 1};
  }

  void observe(size_t ticket, double cost) override {
    const Trial& trial = trials_[ticket];
    if (trial.target == no_ticket) {
      if (members_.size() < population) members_.push_back({trial.place, cost});
    } else if (cost <= members_[trial.target].cost) {
      members_[trial.target] = {trial.place, cost};
    }
  }

 private:
  struct Member {
    std::vector<double> place;
    double cost;
  };
  struct Trial {
    std::vector<double> place;
    size_t target;  // the member it may replace; no_ticket while the population is filled
  };

  // From the member towards the best and along a difference, in some of the coordinates.
  std::vector<double> trial(size_t target, Random& random) const {
    const auto best =
        std::min_element(members_.begin(), members_.end(),
                         [](const Member& a, const Member& b) { return a.cost < b.cost; });
    const auto& base = random.chance(50) ? best->place : random.pick(members_).place;
    const auto& plus = random.pick(members_).place;
    const auto& minus = random.pick(members_).place;
    const double step = 0.5 + 0.5 * random_unit(random);
    std::vector<double> place = members_[target].place;
    const size_t certain = random.next() % std::max<size_t>(1, place.size());
    for (size_t n = 0; n < place.size(); ++n) {
      if (n != certain && random_unit(random) > crossover) continue;
      place[n] = std::clamp(base[n] + step * (plus[n] - minus[n]), 0.0, 1.0);
    }
    return place;
  }

  const SearchDomain& domain_;
  std::vector<Member> members_;
  std::vector<Trial> trials_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> differential_evolution(const SearchDomain& domain) {
  return std::make_unique<DifferentialEvolution>(domain);
}

}  // namespace mdh::tune
