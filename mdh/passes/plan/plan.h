// Low level to structured loops.
#pragma once

#include <string>
#include <vector>

#include "mdh/ll/code.h"
#include "mdh/ll/program.h"
#include "mdh/loop/program.h"
#include "mdh/machine/machine.h"

namespace mdh::passes {

/// One loop per level, in order, with f inside. Where the place of an input changes its tile is
/// copied; where the place of an output changes, or a team reduces, results meet in an accumulator
/// of their own; parts of scanned dimensions are joined. Below the loops that all phases share, f
/// is computed at all points first and its results are combined in a nest of their own. Refuses
/// what is not built: open levels, operators of the user on whole MDAs, outputs whose index
/// functions are not provably injective.
loop::Program plan(const ll::Program& program, const machine::Machine& machine);

/// Temporaries of the plan that the decomposition means to be in registers.
std::vector<std::string> meant_for_registers(const ll::Program& program,
                                             const machine::Machine& machine);

}  // namespace mdh::passes
