#include "mdh/driver/model_choice.h"

#include "mdh/driver/first_choice.h"
#include "mdh/driver/rates.h"
#include "mdh/driver/sketches.h"
#include "mdh/hl/analysis.h"

namespace mdh::driver {
namespace {

constexpr int64_t least_points = int64_t{1} << 16;
/// What was measured elsewhere may be estimated to be so much slower.
constexpr double trusted = 1.25;

/// Memory that is not copied to explicitly, and cores that share it.
bool is_cpu(const machine::Machine& machine) {
  return !machine.regions.empty() && !machine.regions.front().is_explicit;
}

/// What was the best for other sizes, if it is estimated to be nearly as good here.
std::optional<EstimatedConfig> transferred(const hl::Program& program,
                                           const machine::Machine& machine,
                                           const model::Rates& rates,
                                           const std::vector<ll::Config>& starts, double limit) {
  if (starts.empty()) return std::nullopt;
  const SearchSpace space(program, machine, {.cores = rates.cores});
  PointEstimate estimate(machine, rates);
  std::optional<EstimatedConfig> best;
  for (const ll::Config& start : starts) {
    const auto near = space.nearest_to(start);
    if (!near) continue;
    const double cost = estimate(space, *near);
    if (cost <= limit && (!best || cost < best->cost)) best = {space.config(*near), cost};
  }
  return best;
}

std::optional<ChosenConfig> choose(const hl::Program& program, const machine::Machine& machine,
                                   const model::Rates& rates,
                                   const std::vector<ll::Config>& starts) {
  const std::vector<EstimatedConfig> sketched = sketches(program, machine, rates, 1);
  if (sketched.empty()) return std::nullopt;
  EstimatedConfig best = sketched.front();
  if (const auto known = transferred(program, machine, rates, starts, trusted * best.cost)) {
    best = *known;
  }
  return ChosenConfig{best.config, ConfigSource::model,
                      fmt::format("{:.4g} us estimated", best.cost / 1e3)};
}

}  // namespace

bool may_choose_by_model(const hl::Program& program, const Target& target,
                         const machine::Machine& machine) {
  return target.print != nullptr && target.teams == passes::Teams::one && is_cpu(machine) &&
         hl::is_concrete(program) && hl::points(program) >= least_points;
}

std::optional<ChosenConfig> model_choice(const hl::Program& program,
                                         const machine::Machine& machine, int cores,
                                         const std::vector<ll::Config>& starts) {
  const model::Rates rates = rates_of(machine, cores);
  try {
    return choose(program, machine, rates, starts);
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return std::nullopt;
  }
}

}  // namespace mdh::driver
