// The targets of programs, one row each: a back end that prints them, and a runtime that has the
// devices for what is printed.
#pragma once

#include <string_view>
#include <vector>

#include "mdh/backend/backend.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/runtime/device.h"

namespace mdh::driver {

struct Target : backend::Backend {
  const runtime::Runtime* runtime = nullptr;  // none for the reference
};

const std::vector<Target>& targets();

/// The one that is meant if the user names none.
const Target& usual_target();

/// "opencl:1" is the target "opencl". A user error with the nearest name if there is none; "not
/// supported" for those that are planned.
const Target& find_target(std::string_view name);

/// Decisions about code that have no effect on a target (backend/effects.h).
std::vector<std::string> decisions_ignored_by(const Target& target, const ll::Config& config,
                                              const machine::Machine& machine);

}  // namespace mdh::driver
