#include "mdh/driver/devices.h"

#include <set>

#include "mdh/calibration/machine_identity.h"

namespace mdh::driver {
namespace {

/// Layers and regions of a machine with a grid are called so.
void take_numbers(const runtime::GridNumbers& numbers, machine::Machine& m) {
  for (machine::Region& region : m.regions) {
    if (region.owner == "BLK") region.capacity = numbers.local_bytes;
  }
  for (machine::Layer& layer : m.layers) {
    if (layer.name == "BLK") layer.count = numbers.groups_at_once;
    if (layer.name == "THR") layer.count = numbers.items_per_group;
  }
  for (machine::Constraint& rule : m.constraints) {
    auto* most = std::get_if<machine::PartsAtMost>(&rule);
    if (most && most->layers == std::vector<std::string>{"THR"}) {
      most->limit = numbers.items_per_group;
    }
  }
}

}  // namespace

std::vector<runtime::DeviceInfo> all_devices() {
  std::vector<runtime::DeviceInfo> all;
  std::set<const runtime::Runtime*> known;  // several targets may share one
  for (const Target& target : targets()) {
    if (target.runtime == nullptr || !known.insert(target.runtime).second) continue;
    for (runtime::DeviceInfo& device : target.runtime->list()) all.push_back(std::move(device));
  }
  return all;
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
