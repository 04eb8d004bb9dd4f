// What the layers and regions of a machine are there for, whatever they are called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mdh/machine/machine.h"

namespace mdh::ll {

/// Names; empty where the machine has nothing of the kind.
struct Roles {
  std::vector<std::string> cores;  // from outside in
  std::string groups;   // the innermost cores that cannot wait for one another: blocks, work-groups
  std::string threads;  // the innermost cores, if they are members of groups
  std::vector<std::string> memory;  // all layers that are neither cores nor lanes, from outside in
  std::string outer, inner;         // the two innermost layers of loops; one may be both
  std::string registers, lanes;     // parts side by side in one core, and in one vector

  std::string shared;           // the region that every group has
  std::string local;            // the region that every thread has
  std::string register_region;  // of the registers

  /// The layers of a search, as loops are nested: cores, outer, inner, registers, lanes.
  std::vector<std::string> nested() const;
};

Roles roles_of(const machine::Machine& machine);

/// What a loop is there for, from outside in.
enum class Role { cores, outer, inner, registers, lanes };
inline constexpr Role all_roles[] = {Role::cores, Role::outer, Role::inner, Role::registers,
                                     Role::lanes};

/// The layer of loops with a role; of several layers of cores the outermost one.
const std::string& layer_of(const Roles& roles, Role role);

/// How many parts the machine allows on a layer alone, along one of its axes, up to `wish`.
int64_t limit_of(const machine::Machine& machine, const std::string& layer, const std::string& axis,
                 int64_t wish);

}  // namespace mdh::ll
