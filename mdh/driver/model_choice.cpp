#include "mdh/driver/model_choice.h"

#include "mdh/driver/first_choice.h"
#include "mdh/driver/rates.h"
#include "mdh/hl/analysis.h"
#include "mdh/passes/lower.h"

namespace mdh::driver {
namespace {

constexpr int64_t least_points = int64_t{1} << 16;
constexpr size_t most_dimensions = 7;
constexpr size_t estimates = 1000;

/// Memory that is not copied to explicitly, and cores that share it.
bool is_cpu(const machine::Machine& machine) {
  return !machine.regions.empty() && !machine.regions.front().is_explicit;
}

std::optional<ChosenConfig> choose(const hl::Program& program, const machine::Machine& machine,
                                   const model::Rates& rates,
                                   const std::vector<ll::Config>& starts) {
  // Who compiles it is for the user to say.
  const SearchSpace space(program, machine, {.cores = rates.cores, .locks = {"compiler=default"}});
  FirstChoiceOptions options{.steps = estimates, .count = 1};
  for (const ll::Config& start : starts) {
    if (const auto near = space.nearest_to(start)) options.starts.push_back(*near);
  }
  const std::vector<EstimatedPoint> best = first_choice(space, machine, rates, options);
  if (best.empty()) return std::nullopt;
  const ll::Config config = space.config(best.front().point);
  passes::lower(program, machine, config);  // throws what is wrong with it
  return ChosenConfig{config, ConfigSource::model,
                      fmt::format("{:.4g} us estimated", best.front().cost / 1e3)};
}

}  // namespace

bool may_choose_by_model(const hl::Program& program, const Target& target,
                         const machine::Machine& machine) {
  return target.print != nullptr && target.teams == passes::Teams::one && is_cpu(machine) &&
         program.dimensions.size() <= most_dimensions && hl::is_concrete(program) &&
         hl::points(program) >= least_points;
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
