// From C sources to shared objects on disk: several at once, within a time limit, and not twice.
#pragma once

#include <string>
#include <vector>

#include "mdh/runtime/build.h"
#include "mdh/runtime/host/compiler.h"

namespace mdh::runtime::host {

/// What is compiled in one go.
struct Unit {
  std::string source;
  bool contract = true;
  Compiler compiler;
};

/// Modules as one translation unit, which is much cheaper than one each. One that forbids
/// contraction forbids it for all.
Unit unit_of(const std::vector<kernel::Module>& modules, const Compiler& compiler);

/// One result per unit, in order.
std::vector<Built> build_units(const std::vector<Unit>& units, const BuildLimits& options);

/// One result per module of each group. A group is one unit per compiler and flags that its modules
/// ask for; where there is no such compiler, they fail. The modules of a unit that fails are
/// compiled once more, one by one, so that only those are lost that fail by themselves.
std::vector<std::vector<Built>> build_groups(const ModuleGroups& groups,
                                             const BuildLimits& options);

}  // namespace mdh::runtime::host
