#include "mdh/driver/devices.h"

#include <algorithm>
#include <set>

#include "mdh/calibration/machine_identity.h"
#include "mdh/ll/roles.h"
#include "mdh/support/diagnostic.h"

namespace mdh::driver {

namespace {

/// Where a number is known.
template <class T>
void take(int64_t number, T& place) {
  if (number > 0) place = number;
}

void take_numbers(const runtime::GridNumbers& numbers, const ll::Roles& roles,
                  machine::Region& region) {
  if (region.name == roles.shared) take(numbers.local_bytes, region.capacity);
  if (region.name != roles.local || numbers.register_bytes == 0) return;
  region.capacity = numbers.register_bytes;
  region.soft = true;  // what does not fit is spilled
}

/// `members` are the layers of cores inside of a group: threads, or warps and their threads.
void take_numbers(const runtime::GridNumbers& numbers, const ll::Roles& roles,
                  const std::vector<std::string>& members, machine::PartsAtMost& most) {
  if (most.layers == members) {
    take(numbers.items_per_group, most.limit);
  } else if (most.layers == std::vector{roles.threads} && numbers.lockstep > 1) {
    most.limit = numbers.lockstep;
  }
  const size_t axis = std::string_view("xyz").find(most.axis);
  if (most.layers == std::vector{roles.groups} && most.axis.size() == 1 && axis < 3) {
    take(numbers.groups_per_axis[axis], most.limit);
  }
}

}  // namespace

void take_numbers(const runtime::GridNumbers& numbers, machine::Machine& m) {
  const ll::Roles roles = ll::roles_of(m);
  if (roles.threads.empty()) return;  // no grid
  const auto groups = std::find(roles.cores.begin(), roles.cores.end(), roles.groups);
  const std::vector<std::string> members(groups + 1, roles.cores.end());
  for (machine::Region& region : m.regions) take_numbers(numbers, roles, region);
  if (members.size() == 1) take(numbers.warp, m.warp);
  for (machine::Layer& layer : m.layers) {
    if (layer.name == roles.groups) take(numbers.groups_at_once, layer.count);
    if (members.size() == 1 && layer.name == roles.threads) {
      take(numbers.items_per_group, layer.count);
    }
  }
  for (machine::Constraint& rule : m.constraints) {
    if (auto* most = std::get_if<machine::PartsAtMost>(&rule)) {
      take_numbers(numbers, roles, members, *most);
    }
  }
}

Target target_on(const Target& target, const runtime::Device& device) {
  Target on = target;
  if (const auto numbers = device.grid()) {
    on.facts.lockstep = numbers->lockstep;
    on.facts.copies_in_flight = numbers->copies_in_flight;
    on.facts.most_that_meet = std::min(on.facts.most_that_meet, numbers->groups_of_cluster);
    on.obeys.cluster = on.obeys.cluster && on.facts.most_that_meet > 1;
  }
  return on;
}

Target target_on(const Target& target, const std::string& device) {
  if (target.runtime == nullptr) return target;
  try {
    return target_on(target, *target.runtime->open(device));
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return target;
  }
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

machine::Machine machine_named(const std::string& name_or_file, const Target& target,
                               const std::string& device) {
  machine::Machine m = machine::load_machine(name_or_file);
  const auto& known = machine::machines();
  if (target.runtime == nullptr || std::find(known.begin(), known.end(), m) == known.end())
    return m;
  try {
    if (const auto numbers = target.runtime->open(device)->grid()) take_numbers(*numbers, m);
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
  }
  return m;
}

tune::MachineIdentity identity_of(const Target& target, const std::string& device) {
  if (target.runtime == nullptr) return calibration::host_identity();
  const auto known = target.runtime->open(device)->identity();
  return known ? *known : calibration::host_identity();
}

}  // namespace mdh::driver
