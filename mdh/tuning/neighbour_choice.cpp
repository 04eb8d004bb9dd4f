#include "mdh/tuning/neighbour_choice.h"

#include <chrono>
#include <sstream>

#include "mdh/calibration/machine_identity.h"
#include "mdh/hl/analysis.h"
#include "mdh/ll/print.h"
#include "mdh/runtime/cache.h"
#include "mdh/runtime/host/compiler.h"
#include "mdh/tuning/contest.h"

namespace mdh::tuning {
namespace {

constexpr double most_bytes = 2e9;  // of data that is made and copied for a comparison
constexpr double seconds_to_compile = 60;
constexpr double seconds_of_rounds = 2;

/// The model's choice is the first.
std::vector<ll::Config> all_configs(const Selection& selection) {
  std::vector<ll::Config> all = {selection.chosen.config};
  all.insert(all.end(), selection.rivals.begin(), selection.rivals.end());
  return all;
}

/// A time in microseconds of each, the fastest one.
struct Comparison {
  size_t fastest = 0;
  double fastest_us = 0, models_us = 0;
};

std::string text_of(const Comparison& c) {
  return fmt::format("{} {} {}", c.fastest, c.fastest_us, c.models_us);
}

std::optional<Comparison> comparison_from(const std::string& text, size_t configs) {
  std::istringstream in(text);
  Comparison c;
  const bool is_whole = static_cast<bool>(in >> c.fastest >> c.fastest_us >> c.models_us);
  return is_whole && c.fastest < configs ? std::optional(c) : std::nullopt;
}

/// Everything that the outcome depends on.
std::string key_of_comparison(const hl::Program& program, const Selection& selection,
                              const CandidateOptions& options) {
  const RecordKey key = record_key(program, {.target = options.target, .device = options.device});
  const tune::MachineIdentity& hardware = key.problem.machine;
  std::vector<std::string> parts = {
      "faster neighbour",  MDH_VERSION,  key.problem.program,
      hardware.model,      hardware.isa, fmt::format("{} {}", hardware.cores, options.threads),
      options.machine.name};
  for (const auto& [name, size] : key.problem.sizes) parts.push_back(fmt::format("{}", size));
  for (const ll::Config& config : all_configs(selection)) parts.push_back(ll::print(config));
  if (options.target->obeys.compiler) {
    for (const std::string& path : runtime::host::find_compilers()) {
      parts.push_back(runtime::host::identify(path).fingerprint);
    }
  }
  return runtime::cache_key(parts);
}

ChosenConfig chosen_by(const Comparison& c, const Selection& selection) {
  if (c.fastest == 0) return selection.chosen;
  return {selection.rivals[c.fastest - 1], ConfigSource::neighbour,
          fmt::format("{:.4g} us here, the model's choice {:.4g} us", c.fastest_us, c.models_us)};
}

/// Nothing if the times say nothing.
std::optional<Comparison> compared(const std::vector<ll::Config>& configs, Candidates& candidates) {
  std::vector<Trial> trials =
      candidates.compile(configs, Candidates::Together::none, seconds_to_compile);
  const auto begin = std::chrono::steady_clock::now();
  const Effort effort{.limits = {.warm_up = 0, .least = 1, .most = 1000, .seconds = 0.03}};
  ContestSteps steps;
  steps.begin_round = [&] { candidates.renew_processes(); };
  steps.measure = [&](size_t n) -> std::optional<runtime::Timing> {
    candidates.measure(n, effort, trials[n]);
    return trials[n].is_good() ? std::optional(trials[n].timing) : std::nullopt;
  };
  steps.has_time = [&] {
    const auto spent = std::chrono::steady_clock::now() - begin;
    return std::chrono::duration<double>(spent).count() < seconds_of_rounds;
  };
  const Verdict verdict = contest(configs.size(), {.rounds = 2, .duels = 3, .margin = 0.05}, steps);
  if (!verdict.gain) return std::nullopt;
  const runtime::Timing &best = verdict.timings[*verdict.winner], &models = verdict.timings[0];
  if (is_loaded(best) || is_loaded(models)) return std::nullopt;
  return Comparison{*verdict.winner, best.median_us, models.median_us};
}

}  // namespace

std::optional<ChosenConfig> remembered_choice(const hl::Program& program,
                                              const Selection& selection,
                                              const CandidateOptions& options) {
  const auto kept = runtime::Cache::of_user().read(key_of_comparison(program, selection, options));
  const auto known = kept ? comparison_from(*kept, all_configs(selection).size()) : std::nullopt;
  return known ? std::optional(chosen_by(*known, selection)) : std::nullopt;
}

ChosenConfig measured_choice(const hl::Program& program, const Selection& selection,
                             const CandidateOptions& options) {
  if (const auto known = remembered_choice(program, selection, options)) return *known;
  if (static_cast<double>(hl::bytes(program)) > most_bytes) return selection.chosen;
  try {
    Candidates candidates(program, options);
    const std::optional<Comparison> found = compared(all_configs(selection), candidates);
    if (!found) return selection.chosen;
    runtime::Cache::of_user().store(key_of_comparison(program, selection, options),
                                    text_of(*found));
    return chosen_by(*found, selection);
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return selection.chosen;  // no worker, or no memory
  }
}

}  // namespace mdh::tuning
