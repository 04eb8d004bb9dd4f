// The back ends, one row each.
#pragma once

#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"

namespace mdh::driver {

struct Target {
  std::string name;
  std::string summary;
  std::string machine;  // the machine it is configured for unless the user names one
  kernel::Module (*print)(const loop::Program&, const std::string& name);  // none: the reference
};

const std::vector<Target>& targets();

/// A user error with the nearest name if there is none; "not supported" for those that are planned.
const Target& find_target(const std::string& name);

}  // namespace mdh::driver
