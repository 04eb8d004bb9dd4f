#include "tests/property/decision_generator.h"

#include "mdh/passes/pipeline.h"
#include "mdh/passes/plan/plan.h"

namespace mdh::test {
namespace {

/// The rules and the passes of all targets accept it.
bool is_possible(const ll::Config& config, const hl::Program& p, const machine::Machine& machine) {
  try {
    const loop::Program plan = passes::plan(ll::valid_program(config, p, machine), machine);
    for (const auto teams : {machine::Teams::one, machine::Teams::nested}) {
      passes::run_pipeline(plan, {.teams = teams});
    }
    return true;
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return false;
  }
}

void draw_edges(ll::Config& config, const hl::Program& p, const machine::Machine& machine,
                Random& random) {
  static const std::vector<ll::Edge> all = {ll::Edge::clamp, ll::Edge::pad, ll::Edge::mask,
                                            ll::Edge::overlap};
  for (const hl::Dimension& d : p.dimensions) {
    if (!random.chance(60)) continue;
    ll::Config candidate = config;
    candidate.code.edge[d.symbol.name] = random.pick(all);
    if (is_possible(candidate, p, machine)) config = std::move(candidate);
  }
}

}  // namespace

ll::Config with_decisions(const ll::Config& config, const hl::Program& p,
                          const machine::Machine& machine, Random random) {
  ll::Config result = config;
  if (!result.code.edge.empty() && !is_possible(result, p, machine)) result.code.edge.clear();
  if (random.chance(50)) draw_edges(result, p, machine, random);
  return result;
}

}  // namespace mdh::test
