// What the compiled functions of a program need of a device: registers and memory, and passes of
// shared memory.
#pragma once

#include <string>
#include <vector>

#include "mdh/backend/grid/banks.h"
#include "mdh/driver/target.h"
#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"

namespace mdh::driver {

/// Compiles a program as for a run on the device ("cuda:1"; empty: the first one) and prints a table
/// of what its functions need, and how shared memory is used. Nothing runs: where a device can be
/// described only, that is enough. "Not supported" (E649) where compilers do not tell.
std::string print_needs(const hl::Program& program, const machine::Machine& machine,
                        const ll::Config& config, const Target& target, const std::string& device);

/// Launches whose groups need more memory than those of the machine have are refused (E349). There
/// is more in it than tiles and accumulators: parts that are combined in a cluster, what threads
/// exchange, who is the last group.
void check_memory_of_groups(const kernel::Module& module, const machine::Machine& machine);

/// The table alone: a row per function.
std::string print_needs(const std::vector<runtime::Resources>& functions);

/// A line for each buffer in shared memory: the worst access in either direction.
std::string print_bank_uses(const std::vector<backend::BankUse>& uses);

}  // namespace mdh::driver
