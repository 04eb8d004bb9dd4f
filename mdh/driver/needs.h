// What the compiled functions of a program need of a device: registers and memory.
#pragma once

#include <string>

#include "mdh/driver/target.h"
#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"

namespace mdh::driver {

/// Compiles a program as for a run on the device ("cuda:1"; empty: the first one) and prints a table
/// of what its functions need. Nothing runs: where a device can be described only, that is enough.
/// "Not supported" (E649) where compilers do not tell.
std::string print_needs(const hl::Program& program, const machine::Machine& machine,
                        const ll::Config& config, const Target& target, const std::string& device);

/// The table alone: a row per function.
std::string print_needs(const std::vector<runtime::Resources>& functions);

}  // namespace mdh::driver
