#include "mdh/ll/roles.h"

#include <algorithm>

namespace mdh::ll {
namespace {

void take(const machine::Layer& layer, Roles& roles) {
  if (!layer.lanes && layer.kind != machine::LayerKind::cores) roles.memory.push_back(layer.name);
  switch (layer.kind) {
    case machine::LayerKind::cores:
      roles.cores.push_back(layer.name);
      if (!layer.barrier) roles.groups = layer.name;
      roles.threads = layer.barrier && !roles.groups.empty() ? layer.name : "";
      break;
    case machine::LayerKind::loop:
      roles.outer = roles.inner;
      roles.inner = layer.name;
      break;
    case machine::LayerKind::replicated:
      (layer.lanes ? roles.lanes : roles.registers) = layer.name;
      if (!layer.lanes) roles.register_region = layer.region;
      break;
  }
}

}  // namespace

Roles roles_of(const machine::Machine& machine) {
  Roles roles;
  for (const machine::Layer& layer : machine.layers) take(layer, roles);
  if (roles.outer.empty()) roles.outer = roles.inner;
  for (const machine::Region& region : machine.regions) {
    if (region.owner.empty()) continue;
    if (region.owner == roles.groups) roles.shared = region.name;
    if (region.owner == roles.threads) roles.local = region.name;
  }
  return roles;
}

std::vector<std::string> Roles::nested() const {
  std::vector<std::string> all = cores;
  for (const std::string& name : {outer, inner, registers, lanes}) {
    const bool known = std::find(all.begin(), all.end(), name) != all.end();
    if (!name.empty() && !known) all.push_back(name);
  }
  return all;
}

const std::string& layer_of(const Roles& roles, Role role) {
  switch (role) {
    case Role::cores:
      return roles.cores.front();
    case Role::outer:
      return roles.outer;
    case Role::inner:
      return roles.inner;
    case Role::registers:
      return roles.registers;
    case Role::lanes:
      break;
  }
  return roles.lanes;
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
