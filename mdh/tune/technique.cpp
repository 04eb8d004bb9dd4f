#include "mdh/tune/technique.h"

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"
#include "mdh/tune/techniques/auto.h"
#include "mdh/tune/techniques/strategy.h"

namespace mdh::tune {

namespace {

template <std::unique_ptr<Strategy> (*strategy)(const SearchDomain&)>
std::unique_ptr<Technique> made(const SearchDomain& domain, const TechniqueOptions& options) {
  return technique_of(strategy(domain), domain, options);
}

std::unique_ptr<Technique> made_auto(const SearchDomain& domain, const TechniqueOptions& options) {
  return automatic(domain, options);
}

constexpr TechniqueRow table[] = {
    {"auto", "local search guided by a model of what was measured", made_auto},
    {"bandit", "several techniques, the successful ones more often", made<bandit>},
    {"random", "random points, none twice", random_search},
    {"exhaustive", "all points", exhaustive},
    {"annealing", "simulated annealing", made<annealing>},
    {"differential-evolution", "a population and its differences", made<differential_evolution>},
    {"greedy-mutation", "changes of the best point", made<greedy_mutation>},
    {"nelder-mead", "a simplex that moves downhill", made<nelder_mead>},
    {"particle-swarm", "particles drawn to the best places", made<particle_swarm>},
    {"pattern-search", "steps along the axes, halved when none helps", made<pattern_search>},
};

}  // namespace

std::span<const TechniqueRow> techniques() { return table; }

std::unique_ptr<Technique> make_technique(std::string_view name, const SearchDomain& domain,
                                          const TechniqueOptions& options) {
  std::vector<std::string> known;
  for (const TechniqueRow& row : table) {
    if (row.name == name) return row.make(domain, options);
    known.emplace_back(row.name);
  }
  user_error("E722", {}, fmt::format("no search technique is called '{}'", name),
             suggestion(name, known));
}

}  // namespace mdh::tune
