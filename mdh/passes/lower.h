// High level to low level: a program, a machine and a configuration become one low-level program.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/ll/program.h"
#include "mdh/machine/machine.h"

namespace mdh::passes {

/// Pure and deterministic. Validates the configuration first. All three phases share order and
/// assignment, and every buffer stays in the machine's first region, in the user's layout.
ll::Program lower(const hl::Program& program, const machine::Machine& machine,
                  const ll::Config& config);

}  // namespace mdh::passes
