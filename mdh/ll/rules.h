// The parts of validation; each throws the first rule that is broken.
#pragma once

#include <string>
#include <vector>

#include "mdh/ll/config.h"
#include "mdh/ll/decomposition.h"

namespace mdh::ll {

/// Staged inputs and accumulators: buffers, levels, regions and layouts exist; tiles are listed
/// from outside in and only move towards faster regions.
void check_places(const Config& config, const hl::Program& program,
                  const machine::Machine& machine);

/// The machine's constraints, phase by phase, through the assignment of the phase.
void check_machine(const Decomposition& d);

/// Capacities that are exceeded without harm to the result.
std::vector<std::string> soft_limits(const Footprint& footprint, const machine::Machine& machine);

/// Names, ranges and legality of code.*.
void check_code(const Config& config, const Decomposition& d);

}  // namespace mdh::ll
