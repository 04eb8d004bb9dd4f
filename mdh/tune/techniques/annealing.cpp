// Simulated annealing: a walk over neighbours that also goes uphill, less and less.
#include <cmath>

#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

constexpr double first_temperature = 0.3;  // relative to the cost: 30 % worse is taken 1 in e times
constexpr double cooling = 0.97;
constexpr double coldest = 0.005;
constexpr int patience = 60;  // steps without a move after which the walk begins elsewhere

class Annealing : public Strategy {
 public:
  explicit Annealing(const SearchDomain& domain) : domain_(domain) {}

  std::optional<Proposal> propose(Random& random) override {
    if (refused_ > patience) restart();
    draw_ = random_unit(random);
    proposed_.push_back(current_ ? domain_.mutate(*current_, random) : domain_.sample(random));
    return Proposal{proposed_.back(), proposed_.size() - 1};
  }

  void observe(size_t ticket, double cost) override {
    if (ticket < walk_begin_ || (std::isinf(cost) && !current_)) return;
    const double uphill = (cost - cost_) / cost_;
    temperature_ = std::max(coldest, temperature_ * cooling);
    ++refused_;
    if (current_ && uphill > 0 && draw_ >= std::exp(-uphill / temperature_)) return;
    if (!current_ || uphill != 0) refused_ = 0;
    current_ = proposed_[ticket];
    cost_ = cost;
  }

 private:
  void restart() {
    walk_begin_ = proposed_.size();
    current_.reset();
    temperature_ = first_temperature;
    refused_ = 0;
  }

  const SearchDomain& domain_;
  std::vector<Point> proposed_;
  size_t walk_begin_ = 0;  // tickets before it are of walks that were given up
  std::optional<Point> current_;
  double cost_ = 0, draw_ = 0;
  double temperature_ = first_temperature;
  int refused_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> annealing(const SearchDomain& domain) {
  return std::make_unique<Annealing>(domain);
}

}  // namespace mdh::tune
