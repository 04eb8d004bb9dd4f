// Loops on cores become parts that are dealt to a team, with barriers between those that depend on
// each other.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  cores a { sequential s { cores b { X } team_combine b E } }
///       ->  sequential s { deal (a, b) { X } barrier; deal (a, E) { fold b } barrier; }
///
/// Members of a team are independent between barriers, so a sequential loop around a team moves
/// outside of it and runs in lockstep; a member whose own part is empty skips its share and still
/// reaches every barrier.
loop::Program form_teams(const loop::Program& program);

}  // namespace mdh::passes
