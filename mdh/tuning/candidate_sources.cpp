#include "mdh/tuning/candidate_sources.h"

#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "mdh/driver/stages.h"
#include "mdh/runtime/cache.h"
#include "mdh/support/cores.h"
#include "mdh/support/text.h"
#include "mdh/support/threads.h"

namespace mdh::tuning {
namespace {

using tune::RecordOutcome;

Lowered lower_one(const hl::Program& program, const ll::Config& config,
                  const CandidateOptions& options, const std::string& name) {
  try {
    driver::Stages stages =
        driver::lower_all(program, options.machine, config, *options.target, name);
    return {.module = std::move(stages.module)};
  } catch (const Error& e) {
    // No search hides a bug of mdh.
    if (e.diagnostic().kind == DiagnosticKind::internal) throw about(config, e);
    return {.outcome = RecordOutcome::compile_error, .reason = e.what()};
  } catch (const std::bad_alloc&) {
    return {.outcome = RecordOutcome::out_of_memory, .reason = "no memory to make its code"};
  }
}

/// Of this thread alone. A thread that may not is as fast as the others.
void step_back() {
  constexpr int behind_all_others = 10;
  setpriority(PRIO_PROCESS, 0, behind_all_others);
}

/// Which modules go into one translation unit. All cores compile, and have as much to do as the
/// others.
std::vector<std::vector<size_t>> shared_units(const std::vector<kernel::Module>& modules) {
  const size_t count =
      std::clamp<size_t>(modules.size() / 2, 1, static_cast<size_t>(available_cores()));
  std::vector<size_t> longest_first(modules.size());
  std::iota(longest_first.begin(), longest_first.end(), size_t{0});
  const auto length = [&](size_t n) { return modules[n].source.size(); };
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](size_t a, size_t b) { return length(a) > length(b); });
  std::vector<std::vector<size_t>> units(count);
  std::vector<size_t> lengths(count, 0);
  for (const size_t n : longest_first) {
    const auto least = std::min_element(lengths.begin(), lengths.end()) - lengths.begin();
    units[static_cast<size_t>(least)].push_back(n);
    lengths[static_cast<size_t>(least)] += length(n);
  }
  return units;
}

std::vector<std::vector<size_t>> own_units(const std::vector<kernel::Module>& modules) {
  std::vector<std::vector<size_t>> units;
  for (size_t n = 0; n < modules.size(); ++n) units.push_back({n});
  return units;
}

}  // namespace

std::string code_of(const kernel::Module& module, const std::string& name) {
  std::string source = module.source;
  for (size_t at = source.find(name); at != std::string::npos; at = source.find(name, at)) {
    source.erase(at, name.size());
  }
  return runtime::cache_key({source, module.compiler, join(module.flags, "\n")});
}

std::vector<Lowered> lower_each(const hl::Program& program, const std::vector<ll::Config>& configs,
                                const std::vector<std::string>& names,
                                const CandidateOptions& options,
                                const runtime::BuildLimits& limits) {
  std::vector<Lowered> results(configs.size());
  each_on_cores(configs.size(), [&](size_t n) {
    if (limits.is_cancelled && limits.is_cancelled()) return;
    if (limits.is_background) step_back();
    results[n] = lower_one(program, configs[n], options, names[n]);
  });
  return results;
}

std::vector<runtime::Built> build(const runtime::Device& device,
                                  const std::vector<kernel::Module>& modules,
                                  Candidates::Together together,
                                  const runtime::BuildLimits& limits) {
  const std::vector<std::vector<size_t>> units =
      together == Candidates::Together::none ? own_units(modules) : shared_units(modules);
  runtime::ModuleGroups groups;
  for (const auto& unit : units) {
    groups.emplace_back();
    for (const size_t n : unit) groups.back().push_back(modules[n]);
  }
  std::vector<runtime::Built> built(modules.size());
  try {
    const auto results = device.build(groups, limits);
    for (size_t u = 0; u < units.size(); ++u) {
      for (size_t k = 0; k < units[u].size(); ++k) built[units[u][k]] = results[u][k];
    }
  } catch (const Error& e) {  // no space for temporary files, or the compiler is gone
    const bool is_hopeless = e.diagnostic().code == "E645";  // there is no compiler at all
    if (e.diagnostic().kind == DiagnosticKind::internal || is_hopeless) throw;
    built.assign(modules.size(), {.object = std::nullopt, .failure = {.text = e.what()}});
  }
  return built;
}

}  // namespace mdh::tuning
