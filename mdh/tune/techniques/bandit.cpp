// The AUC bandit of OpenTuner: several strategies, and the one that found new bests of late is
// asked more often.
//
// The credit of a strategy is the area under the curve that steps up each time it found a new best
// and goes flat each time it did not, over its uses in a sliding window: late finds weigh more. A
// second term grows for strategies that were seldom used.
#include <algorithm>
#include <cmath>
#include <deque>

#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

constexpr double exploration = 0.05;
constexpr size_t window = 500;

class Bandit : public Strategy {
 public:
  explicit Bandit(const SearchDomain& domain) {
    arms_.push_back(differential_evolution(domain));
    arms_.push_back(greedy_mutation(domain));
    arms_.push_back(nelder_mead(domain));
    arms_.push_back(pattern_search(domain));
    arms_.push_back(particle_swarm(domain));
    arms_.push_back(annealing(domain));
    arms_.push_back(random_strategy(domain));
  }

  std::optional<Proposal> propose(Random& random) override {
    for (size_t arm : by_score(random)) {
      std::optional<Proposal> proposal = arms_[arm]->propose(random);
      if (!proposal) continue;
      tickets_.push_back({arm, proposal->ticket});
      proposal->ticket = tickets_.size() - 1;
      return proposal;
    }
    return std::nullopt;
  }

  void observe(size_t ticket, double cost) override {
    const auto [arm, inner] = tickets_[ticket];
    uses_.push_back({arm, cost < best_});
    if (uses_.size() > window) uses_.pop_front();
    best_ = std::min(best_, cost);
    if (inner != no_ticket) arms_[arm]->observe(inner, cost);
  }

  void notice(const Point& point, double cost) override {
    for (const auto& arm : arms_) arm->notice(point, cost);
  }

 private:
  struct Use {
    size_t arm;
    bool is_new_best;
  };
  struct Ticket {
    size_t arm, inner;
  };

  // The arms, the one to be asked first; equal ones in random order.
  std::vector<size_t> by_score(Random& random) const {
    std::vector<double> area(arms_.size(), 0), count(arms_.size(), 0);
    for (const Use& use : uses_) {
      ++count[use.arm];
      if (use.is_new_best) area[use.arm] += count[use.arm];
    }
    const double log_uses = std::log(static_cast<double>(std::max<size_t>(1, uses_.size())));
    std::vector<std::pair<double, size_t>> order;
    for (size_t arm = 0; arm < arms_.size(); ++arm) {
      const double n = count[arm];
      const double score =
          n == 0 ? std::numeric_limits<double>::infinity()
                 : 2 * area[arm] / (n * (n + 1)) + exploration * std::sqrt(2 * log_uses / n);
      order.emplace_back(-score, arm);
    }
    random.shuffle(order);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<size_t> arms;
    for (const auto& [_, arm] : order) arms.push_back(arm);
    return arms;
  }

  std::vector<std::unique_ptr<Strategy>> arms_;
  std::vector<Ticket> tickets_;
  std::deque<Use> uses_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Strategy> bandit(const SearchDomain& domain) {
  return std::make_unique<Bandit>(domain);
}

}  // namespace mdh::tune
