// How techniques are written. A strategy proposes points as its method wants them, old ones
// included, and is answered; `technique_of` makes a technique of it, which asks for new points
// only.
#pragma once

#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "mdh/tune/count.h"
#include "mdh/tune/technique.h"

namespace mdh::tune {

inline constexpr size_t no_ticket = std::numeric_limits<size_t>::max();

struct Proposal {
  Point point;
  size_t ticket = no_ticket;  // given back with the cost
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Nothing as long as it waits for the cost of what it proposed.
  virtual std::optional<Proposal> propose(Random& random) = 0;
  /// The cost of a proposal; infinity if it failed.
  virtual void observe(size_t ticket, double cost) = 0;
  /// The cost of any point that was measured, also one of others.
  virtual void notice(const Point& /*point*/, double /*cost*/) {}
};

std::unique_ptr<Technique> technique_of(std::unique_ptr<Strategy> strategy,
                                        const SearchDomain& domain,
                                        const TechniqueOptions& options);

/// Points that were asked for or told.
class Seen {
 public:
  /// False if it was there.
  bool add(const std::string& key) { return keys_.insert(key).second; }
  bool has(const std::string& key) const { return keys_.count(key) > 0; }

 private:
  std::unordered_set<std::string> keys_;
};

/// Random points without replacement: a shuffle of all numbers of points, of which only the part
/// that was used is kept. Spaces without size are sampled until something new comes.
class Unseen {
 public:
  explicit Unseen(const SearchDomain& domain) : domain_(domain) {}
  /// A point that `seen` does not have; nothing if there is none, or none is found.
  std::optional<Point> draw(const Seen& seen, Random& random);

 private:
  const SearchDomain& domain_;
  Count drawn_ = 0;
  std::map<Count, Count> moved_;
};

/// The candidates of the options, each once and only those of the domain.
std::vector<Point> valid_candidates(const SearchDomain& domain, const TechniqueOptions& options);

// Two that are no strategies.
std::unique_ptr<Technique> exhaustive(const SearchDomain& domain, const TechniqueOptions& options);
std::unique_ptr<Technique> random_search(const SearchDomain& domain,
                                         const TechniqueOptions& options);

std::unique_ptr<Strategy> annealing(const SearchDomain& domain);
std::unique_ptr<Strategy> differential_evolution(const SearchDomain& domain);
std::unique_ptr<Strategy> pattern_search(const SearchDomain& domain);
std::unique_ptr<Strategy> nelder_mead(const SearchDomain& domain);
std::unique_ptr<Strategy> particle_swarm(const SearchDomain& domain);
std::unique_ptr<Strategy> random_strategy(const SearchDomain& domain);
std::unique_ptr<Strategy> greedy_mutation(const SearchDomain& domain);
std::unique_ptr<Strategy> bandit(const SearchDomain& domain);

}  // namespace mdh::tune
