#include "mdh/driver/devices.h"

#include <algorithm>
#include <set>

#include "mdh/calibration/machine_identity.h"
#include "mdh/ll/roles.h"
#include "mdh/support/diagnostic.h"

namespace mdh::driver {

void take_numbers(const runtime::GridNumbers& numbers, machine::Machine& m) {
  const ll::Roles roles = ll::roles_of(m);
  if (roles.threads.empty()) return;  // no grid
  const auto groups = std::find(roles.cores.begin(), roles.cores.end(), roles.groups);
  const std::vector<std::string> members(groups + 1, roles.cores.end());
  for (machine::Region& region : m.regions) {
    if (region.name == roles.shared) region.capacity = numbers.local_bytes;
  }
  for (machine::Layer& layer : m.layers) {
    if (layer.name == roles.groups) layer.count = numbers.groups_at_once;
    if (members.size() == 1 && layer.name == roles.threads) layer.count = numbers.items_per_group;
  }
  for (machine::Constraint& rule : m.constraints) {
    auto* most = std::get_if<machine::PartsAtMost>(&rule);
    if (most && most->layers == members) most->limit = numbers.items_per_group;
  }
}

Target target_on(const Target& target, const runtime::Device& device) {
  Target on = target;
  if (const auto numbers = device.grid()) {
    on.facts.lockstep = numbers->lockstep;
    on.facts.copies_in_flight = numbers->copies_in_flight;
  }
  return on;
}

std::vector<runtime::DeviceInfo> all_devices() {
  std::vector<runtime::DeviceInfo> all;
  std::set<const runtime::Runtime*> known;  // several targets may share one
  for (const Target& target : targets()) {
    if (target.runtime == nullptr || !known.insert(target.runtime).second) continue;
    for (runtime::DeviceInfo& device : target.runtime->list()) all.push_back(std::move(device));
  }
  return all;
}

std::string why_no_device(const Target& target) {
  if (target.runtime == nullptr || !target.runtime->list().empty()) return "";
  try {
    target.runtime->open("");
    return "there is only a description";  // of what to build for
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return e.diagnostic().message;
  }
}

machine::Machine machine_of(const Target& target, const std::string& device) {
  machine::Machine m = machine::find_machine(target.machine);
  if (target.runtime == nullptr) return m;
  if (const auto numbers = target.runtime->open(device)->grid()) take_numbers(*numbers, m);
  return m;
}

tune::MachineIdentity identity_of(const Target& target, const std::string& device) {
  if (target.runtime == nullptr) return calibration::host_identity();
  const auto known = target.runtime->open(device)->identity();
  return known ? *known : calibration::host_identity();
}

}  // namespace mdh::driver
