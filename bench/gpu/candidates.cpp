#include "bench/gpu/candidates.h"

#include "bench/child.h"
#include "bench/configs.h"
#include "bench/gpu/recording.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/executable.h"
#include "mdh/runtime/worker/message.h"
#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"
#include "mdh/tuning/model_choice.h"

namespace mdh::bench::gpu {
namespace {

/// The runner loads what was built here.
std::vector<std::string> command_for(const driver::Executable& executable,
                                     const std::string& device) {
  const kernel::Module& module = executable.module();
  const runtime::WorkRequest request{.version = MDH_VERSION,
                                     .device = device,
                                     .library = executable.kernel().file(),
                                     .steps = module.steps,
                                     .workspace_bytes = module.workspace(),
                                     .zeroed_bytes = module.zeroed_bytes,
                                     .parts_on_cores = module.parts_on_cores};
  return {find_runner("mdh-bench-gpu-runner"), to_text(request)};
}

Candidate of_config(const Instantiated& at, const machine::Machine& machine,
                    const tuning::ChosenConfig& chosen, const MdhOptions& options) {
  const auto executable = std::make_shared<driver::Executable>(
      driver::compile(at.program, machine, chosen.config, *options.target, options.device));
  Candidate candidate{.name = "mdh", .kind = PeerKind::mdh, .about = describe(chosen)};
  candidate.command = command_for(*executable, options.device);
  candidate.config_hash = runtime::cache_key({print(chosen.config)}).substr(0, 16);
  candidate.has_cold_caches = options.target->runtime->has_cold_caches;
  candidate.keeps = executable;
  return candidate;
}

Candidate tuned(const Instantiated& at, const MdhOptions& options) {
  const tuning::Selection best =
      tuning::select_config(at.program, {.target = options.target, .device = options.device},
                            *options.records, available_cores());
  Candidate candidate = of_config(at, best.machine, best.chosen, options);
  if (!tuning::is_measured(best.chosen.source)) candidate.about += ", no tuning record";
  for (const std::string& why : best.skipped) candidate.about += "; " + why;
  return candidate;
}

/// Nothing if there is no configuration.
std::optional<Candidate> configured(const Workload& workload, const Instantiated& at,
                                    const MdhOptions& options) {
  if (options.records) return tuned(at, options);
  const auto known =
      known_config(workload, options.configs, options.machines, options.target->name);
  if (!known) return std::nullopt;
  const std::string& machine = known->config.machine;
  return of_config(at,
                   machine.empty()
                       ? driver::machine_of(*options.target, options.device)
                       : driver::machine_named(machine, *options.target, options.device),
                   *known, options);
}

}  // namespace

Candidate untuned_candidate(const std::string& choice, const Instantiated& at,
                            const MdhOptions& options) {
  const machine::Machine machine = driver::machine_of(*options.target, options.device);
  std::optional<tuning::ChosenConfig> chosen;
  if (choice == "default") chosen = tuning::default_choice(at.program, machine, available_cores());
  if (choice == "model") {
    chosen = tuning::model_choice(at.program, *options.target, options.device, machine,
                                  available_cores());
  }
  if (chosen) return of_config(at, machine, *chosen, options);
  Candidate none;
  none.absence = "there is no choice by estimates";
  return none;
}

Candidate mdh_candidate(const Workload& workload, const Instantiated& at,
                        const MdhOptions& options) {
  std::string refusal;
  try {
    if (const auto candidate = configured(workload, at, options)) return *candidate;
  } catch (const Error& e) {
    const Diagnostic& d = e.diagnostic();
    refusal = fmt::format(" ({}: {}{})", refused_word, split(d.message, '\n').front(),
                          d.code.empty() ? "" : fmt::format(" [{}]", d.code));
  }
  const machine::Machine machine = driver::machine_of(*options.target, options.device);
  Candidate candidate = of_config(
      at, machine, tuning::default_choice(at.program, machine, available_cores()), options);
  candidate.about += refusal;
  return candidate;
}

}  // namespace mdh::bench::gpu
