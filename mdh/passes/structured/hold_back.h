// Cores that copy single numbers read again at an edge what lies there, instead of asking.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  copy (a < 16) t[a] = x[k + a] within (k + a < 1021)
///       ->  copy (a < 16) t[a] = x[min(k + a, 1020)] within ()
///
/// What lies beyond an edge is never used, so that anything may be in its place. Without a
/// condition loads wait for no branch. Only tiles of a group, on targets whose cores can move
/// several numbers at once; copies that do so have few conditions and keep them, since min would
/// take the neighbours apart. So do all where an edge of the program is to be masked.
loop::Program hold_back(const loop::Program& program, const machine::TargetFacts& facts);

}  // namespace mdh::passes
