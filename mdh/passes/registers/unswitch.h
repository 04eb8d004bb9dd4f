// Decisions that do not depend on copies in registers or on lanes are made before them.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// `for unrolled { ...; if c {a} else {b} }` becomes `if c {for {...; a}} else {for {...; b}}`
/// where c is the same in all rounds; of conditions joined by 'and', those that are.
loop::Program unswitch(const loop::Program& program);

}  // namespace mdh::passes
