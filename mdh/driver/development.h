// For those who work on mdh itself: single passes on text.
#pragma once

#include <string>

#include "mdh/driver/target.h"
#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"

namespace mdh::driver {

/// The loop program of a file (.loop.mdh) after one pass, as text, for a target of which nothing is
/// known. A user error with the nearest name if there is no such pass.
std::string run_pass(const std::string& pass, const std::string& file);

/// The loops of a program after one pass of the target's pipeline, after its last turn if it has
/// several; after each of them, under its name, for "all". A user error with the nearest name if
/// the pipeline has no such pass.
std::string print_after(const std::string& pass, const hl::Program& program,
                        const machine::Machine& machine, const ll::Config& config,
                        const Target& target);

/// All passes in the order of their pipelines: what each does, and why it stands there.
std::string list_passes();

}  // namespace mdh::driver
