#include "mdh/tuning/model_choice.h"

#include <algorithm>

#include "mdh/calibration/rates.h"
#include "mdh/driver/rates.h"
#include "mdh/hl/analysis.h"
#include "mdh/ll/decomposition.h"
#include "mdh/model/cost.h"
#include "mdh/model/grid_cost.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/search/first_choice.h"
#include "mdh/search/sketches.h"
#include "mdh/tuning/compiler_choice.h"
#include "mdh/tuning/without_spills.h"

namespace mdh::tuning {
namespace {

constexpr int64_t least_points = int64_t{1} << 16;
/// What was measured elsewhere may be estimated to be so much slower.
constexpr double worth_a_try = 1.25;
constexpr size_t sketches_to_compile = 6;  // for devices, as long as threads lack registers
constexpr double worth_compiling = 2;      // times the estimate of the best

/// Memory that is not copied to explicitly, and cores that share it.
bool is_cpu(const machine::Machine& machine) {
  return !machine.regions.empty() && !machine.regions.front().is_explicit;
}

double estimated_cost(const hl::Program& program, const machine::Machine& machine,
                      const model::Rates& rates, const ll::Config& config) {
  passes::lower(program, machine, config);  // says what is wrong with it
  return search::estimated_cost(program, machine, config, rates);
}

std::vector<ll::Config> configs_of(const std::vector<search::EstimatedConfig>& sketches) {
  std::vector<ll::Config> configs;
  for (const search::EstimatedConfig& sketch : sketches) configs.push_back(sketch.config);
  return configs;
}

/// Rules of thumb are not far from what compilers like: a way out, if they are not known already.
void add_usual(const hl::Program& program, const machine::Machine& machine,
               const model::Rates& rates, double limit, std::vector<search::EstimatedConfig>& all) {
  const ll::Config usual = ll::default_config(program, machine, 1);
  const bool is_known = std::any_of(all.begin(), all.end(), [&](const auto& sketch) {
    return sketch.config.split == usual.split && sketch.config.order == usual.order;
  });
  if (is_known) return;
  const double cost = estimated_cost(program, machine, rates, usual);
  if (cost <= limit) all.push_back({usual, cost});
}

/// Compilers of this target say which values a thread keeps in memory.
bool tells_spills(const driver::Target& target) { return target.facts.lockstep > 1; }

/// Where spills are only estimated, many have to be looked at.
size_t sketches_of(const driver::Target& target) {
  return tells_spills(target) ? sketches_to_compile : 10 * sketches_to_compile;
}

double estimated_registers(const hl::Program& program, const machine::Machine& machine,
                           const model::Rates& rates, const ll::Config& config) {
  const ll::Program low = passes::lower(program, machine, config);
  const ll::Decomposition d(low, machine);
  return model::estimate(model::shape_of(low.computation), d, rates.grid).registers;
}

/// Where no compiler tells, estimates of registers may be too low by half: what is not far from the
/// limit is left. What is chosen has to be clearly better than rules of thumb, which are known to work.
void keep_safe(const hl::Program& program, const machine::Machine& machine,
               const model::Rates& rates, std::vector<search::EstimatedConfig>& all) {
  constexpr double safe_registers = 100, clearly_better = 0.85;
  const ll::Config usual = ll::default_config(program, machine, 1);
  const double cost = estimated_cost(program, machine, rates, usual);
  std::erase_if(all, [&](const search::EstimatedConfig& sketch) {
    return sketch.cost > clearly_better * cost ||
           estimated_registers(program, machine, rates, sketch.config) > safe_registers;
  });
  all.push_back({usual, cost});
}

}  // namespace

bool has_cost_model(const driver::Target& target, const machine::Machine& machine) {
  if (target.print == nullptr) return false;
  if (model::has_groups(machine)) return target.facts.lockstep > 1 || machine.warp > 1;
  return target.facts.teams == machine::Teams::one && is_cpu(machine);
}

bool may_choose_by_model(const hl::Program& program, const driver::Target& target,
                         const machine::Machine& machine) {
  return has_cost_model(target, machine) && hl::is_concrete(program) &&
         hl::points(program) >= least_points;
}

std::optional<ChosenConfig> model_choice(const hl::Program& program, const driver::Target& target,
                                         const std::string& device, const machine::Machine& machine,
                                         int cores) {
  if (!hl::is_concrete(program)) return std::nullopt;
  const model::Rates rates = driver::rates_on(target, device, machine, cores);
  const bool asks = model::has_groups(machine) && has_cost_model(target, machine);
  try {
    std::vector<search::EstimatedConfig> best =
        search::sketches(program, machine, rates, asks ? sketches_of(target) : 1);
    if (best.empty()) return std::nullopt;
    if (asks && !tells_spills(target)) keep_safe(program, machine, rates, best);
    std::erase_if(best, [limit = worth_compiling * best.front().cost](const auto& sketch) {
      return sketch.cost > limit;
    });
    if (asks && tells_spills(target))
      add_usual(program, machine, rates, worth_compiling * best.front().cost, best);
    const search::EstimatedConfig& chosen =
        best[asks ? first_without_spills(program, machine, configs_of(best), target, device) : 0];
    return ChosenConfig{chosen.config, ConfigSource::model,
                        fmt::format("{:.4g} us estimated", chosen.cost / 1e3)};
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return std::nullopt;
  }
}

ChosenConfig untuned_choice(const hl::Program& program, const driver::Target& target,
                            const std::string& device, const machine::Machine& machine, int cores) {
  std::optional<ChosenConfig> chosen;
  if (may_choose_by_model(program, target, machine)) {
    chosen = model_choice(program, target, device, machine, cores);
  }
  return chosen ? *chosen : default_choice(program, machine, cores);
}

std::vector<ll::Config> rivals_of(const ll::Config& chosen, const hl::Program& program,
                                  const machine::Machine& machine, int cores,
                                  const std::vector<ll::Config>& starts, size_t count) {
  std::vector<ll::Config> rivals;
  if (starts.empty()) return rivals;
  const model::Rates rates = calibration::rates_of(machine, cores);
  const double limit = worth_a_try * estimated_cost(program, machine, rates, chosen);
  const search::SearchSpace space(program, machine, {.cores = cores});
  search::PointEstimate estimate(machine, rates);
  for (const ll::Config& start : starts) {
    const auto near = space.nearest_to(start);
    if (!near || estimate(space, *near) > limit) continue;
    const ll::KernelCode& code = start.code.kernel;
    const ll::Config rival = compiled_by(space.config(*near), {code.compiler, code.flags});
    const bool known =
        rival == chosen || std::find(rivals.begin(), rivals.end(), rival) != rivals.end();
    if (!known && rivals.size() < count) rivals.push_back(rival);
  }
  return rivals;
}

}  // namespace mdh::tuning
