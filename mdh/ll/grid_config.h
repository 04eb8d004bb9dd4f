// A configuration for machines of many threads in groups, by rules of thumb.
#pragma once

#include <optional>

#include "mdh/ll/config.h"

namespace mdh::ll {

/// Neighbouring threads walk along memory, results stay in registers, and there are enough groups to
/// keep a device busy:
///
///   results that share operands   a tile of registers in each thread, and copies of both operands
///                                 in the memory of the group, a few terms of the sum at a time
///   few results, long sums        threads share a sum, and meet in steps; groups, too, where there
///                                 are fewer results than groups
///   all others                    a thread for each result, or for a few neighbours where windows
///                                 overlap; short sums are written out
///
/// Nothing for machines without registers or groups, for sizes that are not known, for little work,
/// and where the machine does not allow what the rules come up with.
std::optional<Config> grid_config(const hl::Program& program, const machine::Machine& machine);

}  // namespace mdh::ll
