// What the layers and regions of a machine with groups of threads are there for.
#pragma once

#include <string>
#include <vector>

#include "mdh/machine/machine.h"

namespace mdh::ll {

/// Names; empty where the machine has nothing of the kind.
struct Roles {
  std::string groups;   // the innermost cores that cannot wait for one another: blocks, work-groups
  std::string threads;  // the innermost cores, if they are members of groups
  std::string lanes;
  std::vector<std::string> memory;  // all other layers, from outside in
  std::string shared;               // the region that every group has
  std::string local;                // the region that every thread has
};

Roles roles_of(const machine::Machine& machine);

/// How many parts the machine allows on a layer alone, along one of its axes, up to `wish`.
int64_t limit_of(const machine::Machine& machine, const std::string& layer, const std::string& axis,
                 int64_t wish);

}  // namespace mdh::ll
