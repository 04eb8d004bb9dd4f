// Loops over lanes become vector code.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Realises loops that are marked as lanes, never others: where all rounds can go in lockstep, that
/// is, where the scalar functions have lanes and no round needs what another one stored, the loop
/// becomes Lanes. Where they cannot, but work on registers, the rounds are written out.
loop::Program vectorise(const loop::Program& program);

}  // namespace mdh::passes
