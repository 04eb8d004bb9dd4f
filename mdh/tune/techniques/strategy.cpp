#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

// After so many proposals in a row that are known already the strategy has run dry: a random point
// moves it on.
constexpr int max_old_proposals = 40;

constexpr int max_draws = 1000;

class StrategyTechnique : public Technique {
 public:
  StrategyTechnique(std::unique_ptr<Strategy> strategy, const SearchDomain& domain,
                    const TechniqueOptions& options)
      : strategy_(std::move(strategy)),
        unseen_(domain),
        random_(options.seed),
        candidates_(valid_candidates(domain, options)) {}

  std::vector<Point> ask(size_t count) override {
    std::vector<Point> points;
    while (points.size() < count) {
      std::optional<Point> point = next();
      if (!point) break;
      points.push_back(std::move(*point));
    }
    return points;
  }

  void tell(const Point& point, const Outcome& outcome) override {
    const std::string key = point.key();
    const double cost = outcome.cost.value_or(std::numeric_limits<double>::infinity());
    seen_.add(key);
    costs_[key] = cost;
    strategy_->notice(point, cost);
    if (const auto tickets = waiting_.extract(key)) {
      for (size_t ticket : tickets.mapped()) strategy_->observe(ticket, cost);
    }
  }

 private:
  std::optional<Point> next() {
    while (next_candidate_ < candidates_.size()) {
      const Point& point = candidates_[next_candidate_++];
      if (seen_.add(point.key())) return point;
    }
    for (int tries = 0; tries < max_old_proposals; ++tries) {
      std::optional<Proposal> proposal = strategy_->propose(random_);
      if (!proposal) break;
      const std::string key = proposal->point.key();
      if (const auto known = costs_.find(key); known != costs_.end()) {
        if (proposal->ticket != no_ticket) strategy_->observe(proposal->ticket, known->second);
        continue;
      }
      if (proposal->ticket != no_ticket) waiting_[key].push_back(proposal->ticket);
      if (seen_.add(key)) return std::move(proposal->point);
    }
    std::optional<Point> point = unseen_.draw(seen_, random_);
    if (point) seen_.add(point->key());
    return point;
  }

  std::unique_ptr<Strategy> strategy_;
  Unseen unseen_;
  Random random_;
  std::vector<Point> candidates_;
  size_t next_candidate_ = 0;
  Seen seen_;
  std::unordered_map<std::string, double> costs_;
  std::unordered_map<std::string, std::vector<size_t>> waiting_;  // tickets
};

}  // namespace

std::unique_ptr<Technique> technique_of(std::unique_ptr<Strategy> strategy,
                                        const SearchDomain& domain,
                                        const TechniqueOptions& options) {
  return std::make_unique<StrategyTechnique>(std::move(strategy), domain, options);
}

std::vector<Point> valid_candidates(const SearchDomain& domain, const TechniqueOptions& options) {
  std::vector<Point> points;
  Seen seen;
  for (const Point& point : options.candidates) {
    if (domain.contains(point) && seen.add(point.key())) points.push_back(point);
  }
  return points;
}

std::optional<Point> Unseen::draw(const Seen& seen, Random& random) {
  const std::optional<Count> size = domain_.size();
  for (int tries = 0; !size && tries < max_draws; ++tries) {
    Point point = domain_.sample(random);
    if (!seen.has(point.key())) return point;
  }
  while (size && drawn_ < *size) {
    const Count other = drawn_ + random_below(random, *size - drawn_);
    const auto numbered = [&](Count place) {
      const auto found = moved_.find(place);
      return found == moved_.end() ? place : found->second;
    };
    const Count index = numbered(other);
    moved_[other] = numbered(drawn_);
    moved_.erase(drawn_++);
    Point point = domain_.at(index);
    if (!seen.has(point.key())) return point;
  }
  return std::nullopt;
}

}  // namespace mdh::tune
