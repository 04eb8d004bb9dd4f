// Low level to structured loops.
#pragma once

#include "mdh/ll/program.h"
#include "mdh/loop/program.h"
#include "mdh/machine/machine.h"

namespace mdh::passes {

/// One loop per level, in order, with f inside. A reduction over cores gives every member a slot of
/// its own, combined after the loop; all other levels accumulate where the level outside of them
/// does, in the end into the output itself. Refuses what is not built: phases with different
/// orders, outputs whose index functions are not provably injective.
loop::Program plan(const ll::Program& program, const machine::Machine& machine);

}  // namespace mdh::passes
