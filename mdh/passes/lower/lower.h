// High level to low level: a program, a machine and a configuration become one low-level program.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/ll/program.h"
#include "mdh/machine/machine.h"

namespace mdh::passes {

/// Pure and deterministic: fuses dimensions, validates the configuration, and writes down one
/// tagged operator per level and phase with the place of every buffer.
ll::Program lower(const hl::Program& program, const machine::Machine& machine,
                  const ll::Config& config);

}  // namespace mdh::passes
