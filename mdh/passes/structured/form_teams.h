// Loops on cores become shares that are dealt to a team.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  cores a { sequential s { cores b { X } team_combine b E } }
///       ->  sequential s { deal (a, b) { X } deal (a, E) { fold b } }
///
/// Members of a team are independent of each other but for the statements in which they act
/// together: copies that they share, combinations of slots, scans. Loops around such a statement
/// move outside of the team and run in lockstep; a member whose own part is empty skips its share
/// and still gets there. Everything else stays inside of one Deal.
///
/// Slots are combined one after the other, or, where the configuration says so and the cores can
/// wait for one another, in steps: neighbours first, then those at twice the distance. Slots that
/// cores in lockstep have made are combined by the same cores, so that no others need to wait.
///
/// Both halves of a copy through registers are dealt alike, to steady shares. Where cores move several
/// numbers at once, parts of results that members of a grid have made are combined in the order in
/// which the results lie.
///
/// form_teams makes one team of all cores; form_grid deals to the grid only, and form_groups to
/// the cores of each of its members.
loop::Program form_teams(const loop::Program& program);
loop::Program form_grid(const loop::Program& program, const machine::TargetFacts& facts);
loop::Program form_groups(const loop::Program& program, const machine::TargetFacts& facts = {});

/// Whether parts of the block are dealt to the grid, or done by all of its members together: then it
/// is not one kernel, and nothing that one core has lives from one of its statements to the next.
bool is_cut_by_grid(const loop::Program& p, const loop::Block& block);

}  // namespace mdh::passes
