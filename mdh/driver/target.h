// The back ends, one row each.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"
#include "mdh/passes/pipeline.h"

namespace mdh::driver {

struct Target {
  std::string name;
  std::string summary;
  std::string machine;  // the machine it is configured for unless the user names one
  machine::TargetFacts facts;
  /// Source text; none for the reference. A test may print something else.
  std::function<kernel::Module(const loop::Program&, const std::string& name)> print;
};

const std::vector<Target>& targets();

/// A user error with the nearest name if there is none; "not supported" for those that are planned.
const Target& find_target(std::string_view name);

}  // namespace mdh::driver
