// Decisions that do not depend on copies in registers or on lanes are made before them.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// `for unrolled { ...; if c {a} else {b} }` becomes `if c {for {...; a}} else {for {...; b}}`
/// where c is the same in all rounds; of conditions joined by 'and', those that are. Whether a write
/// is the first one is decided further inside where two such loops would not fit where the target
/// keeps its instructions.
loop::Program unswitch(const loop::Program& program, const machine::TargetFacts& facts);

}  // namespace mdh::passes
