// Schedules of other compilers, as configurations.
//
// A schedule is a list of calls that transform the loops of a computation step by step:
//
//   mdh_schedule 1
//   cache_write(C, local)                   # compute in C.local, then copy to C
//   k_o, k_i = split(C.local, k, 8)         # k_i has 8 parts, k_o as many as are needed
//   reorder(C.local, k_o, i, j, k_i)
//   b, t = split(C, i, 4)
//   compute_at(C.local, C, t)               # inside of axis t
//   bind(C, b, blockIdx.x)                  # blockIdx, threadIdx, vthread
//   bind(C, t, threadIdx.x)
//   cache_read(A, shared)                   # read A.shared, a copy of A with axes ax0, ax1, ...
//   compute_at(A.shared, C.local, k_o)
//
// further fuse(stage, axis, ...), vectorize(stage, axis) and pragma(stage, axis, key, value). What
// they do to loops one after the other is said by a configuration at once:
//
//   - What splitting leaves of a dimension are its digits. Axes bound to blockIdx lie on the
//     machine's layer of groups, those bound to threadIdx on its threads, all others on its memory
//     layers, from outside in.
//   - The order is the one of the loops; axes bound to vthread stand directly inside of the
//     innermost axis that something is computed at, which is where they are put when code is made.
//   - A copy by cache_read is staged, a result by cache_write accumulated, from the level inside of
//     the axis it is computed at.
//   - Of fused axes that are bound the last one is x.
#pragma once

#include <string>
#include <string_view>

#include "mdh/ll/config.h"

namespace mdh::ll {

/// The text begins like a schedule.
bool is_schedule(std::string_view text);

/// The valid configuration that a schedule stands for on this machine.
Config parse_schedule(std::string_view text, const hl::Program& program,
                      const machine::Machine& machine, const std::string& file = "<schedule>");

}  // namespace mdh::ll
