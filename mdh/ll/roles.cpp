#include "mdh/ll/roles.h"

#include <algorithm>

namespace mdh::ll {

Roles roles_of(const machine::Machine& machine) {
  Roles roles;
  for (const machine::Layer& layer : machine.layers) {
    if (layer.kind == machine::LayerKind::cores) {
      if (!layer.barrier) roles.groups = layer.name;
      roles.threads = layer.barrier && !roles.groups.empty() ? layer.name : "";
    } else if (layer.lanes) {
      roles.lanes = layer.name;
    } else {
      roles.memory.push_back(layer.name);
    }
  }
  for (const machine::Region& region : machine.regions) {
    if (region.owner.empty()) continue;
    if (region.owner == roles.groups) roles.shared = region.name;
    if (region.owner == roles.threads) roles.local = region.name;
  }
  return roles;
}

int64_t limit_of(const machine::Machine& machine, const std::string& layer, const std::string& axis,
                 int64_t wish) {
  for (const machine::Constraint& c : machine.constraints) {
    const auto* most = std::get_if<machine::PartsAtMost>(&c);
    if (!most || (!most->axis.empty() && most->axis != axis)) continue;
    if (std::find(most->layers.begin(), most->layers.end(), layer) != most->layers.end()) {
      wish = std::min(wish, most->limit);
    }
  }
  return wish;
}

}  // namespace mdh::ll
