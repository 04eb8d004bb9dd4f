#include "mdh/tuning/without_spills.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "mdh/driver/devices.h"
#include "mdh/driver/stages.h"
#include "mdh/runtime/build.h"
#include "mdh/runtime/device.h"
#include "mdh/support/diagnostic.h"

namespace mdh::tuning {
namespace {

constexpr int64_t unusable = std::numeric_limits<int64_t>::max();
constexpr double patience = 30;  // seconds, for one compiler

/// Of each: bytes of a thread in memory.
std::vector<int64_t> kept_in_memory(const hl::Program& program, const machine::Machine& machine,
                                    std::span<const ll::Config> configs,
                                    const driver::Target& target, const runtime::Device& device) {
  std::vector<int64_t> bytes(configs.size(), unusable);
  runtime::ModuleGroups groups;
  std::vector<size_t> places;
  for (size_t n = 0; n < configs.size(); ++n) {
    try {
      groups.push_back(
          {driver::lower_all(program, machine, configs[n], driver::target_on(target, device),
                             driver::kernel_name(program))
               .module});
      places.push_back(n);
    } catch (const Error& e) {
      if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    }
  }
  const auto built = device.build(groups, {.seconds = patience, .tells_needs = true});
  for (size_t k = 0; k < places.size(); ++k) {
    const runtime::Built& one = built[k].front();
    if (one.object) bytes[places[k]] = runtime::stack_bytes_of(one.needs);
  }
  return bytes;
}

size_t first_on(const runtime::Device& on, const hl::Program& program,
                const machine::Machine& machine, const std::vector<ll::Config>& configs,
                const driver::Target& target) {
  // Mostly the first one is good.
  const std::span<const ll::Config> all = configs;
  std::vector<int64_t> bytes = kept_in_memory(program, machine, all.first(1), target, on);
  if (bytes.front() == 0 || configs.size() == 1) return 0;
  const std::vector<int64_t> rest = kept_in_memory(program, machine, all.subspan(1), target, on);
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
    // No device, or no compiler: whoever runs something says so.
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return 0;
  }
}

}  // namespace mdh::tuning
