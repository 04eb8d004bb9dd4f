#include "mdh/tuning/without_spills.h"

#include <algorithm>
#include <limits>

#include "mdh/driver/devices.h"
#include "mdh/driver/stages.h"
#include "mdh/runtime/build.h"
#include "mdh/support/diagnostic.h"
#include "mdh/tuning/candidate_sources.h"

namespace mdh::tuning {
namespace {

constexpr int64_t unusable = std::numeric_limits<int64_t>::max();
constexpr double patience = 30;  // seconds, for one compiler

/// Of each: bytes of a thread in memory.
std::vector<int64_t> kept_in_memory(const hl::Program& program, const machine::Machine& machine,
                                    const std::vector<ll::Config>& configs,
                                    const driver::Target& target, const runtime::Device& device) {
  const runtime::BuildLimits limits{.seconds = patience, .tells_needs = true};
  const std::vector<std::string> names(configs.size(), driver::kernel_name(program));
  const driver::Target there = driver::target_on(target, device);
  std::vector<int64_t> bytes(configs.size(), unusable);
  std::vector<kernel::Module> modules;
  std::vector<size_t> places;
  std::vector<Lowered> lowered =
      lower_each(program, configs, names, {.target = &there, .machine = machine}, limits);
  for (size_t n = 0; n < lowered.size(); ++n) {
    if (!lowered[n].module) continue;
    modules.push_back(std::move(*lowered[n].module));
    places.push_back(n);
  }
  const auto built = build(device, modules, Candidates::Together::none, limits);
  for (size_t k = 0; k < places.size(); ++k) {
    if (built[k].object) bytes[places[k]] = runtime::stack_bytes_of(built[k].needs);
  }
  return bytes;
}

size_t first_on(const runtime::Device& on, const hl::Program& program,
                const machine::Machine& machine, const std::vector<ll::Config>& configs,
                const driver::Target& target) {
  // Mostly the first one is good.
  std::vector<int64_t> bytes = kept_in_memory(program, machine, {configs.front()}, target, on);
  if (bytes.front() == 0 || configs.size() == 1) return 0;
  const std::vector<int64_t> rest =
      kept_in_memory(program, machine, {configs.begin() + 1, configs.end()}, target, on);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return static_cast<size_t>(std::min_element(bytes.begin(), bytes.end()) - bytes.begin());
}

}  // namespace

size_t first_without_spills(const hl::Program& program, const machine::Machine& machine,
                            const std::vector<ll::Config>& configs, const driver::Target& target,
                            const std::string& device) {
  try {
    const auto on = target.runtime->open(device);
    return configs.empty() ? 0 : first_on(*on, program, machine, configs, target);
  } catch (const Error& e) {
    // No device: whoever runs something says so.
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return 0;
  }
}

}  // namespace mdh::tuning
