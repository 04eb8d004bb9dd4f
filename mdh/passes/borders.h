// Levels become counted loops.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  sequential L1.i p < 4 of i step 2 { X }   ->   for L1.i p < min(4, (7 - base + 1) / 2)
/// { X }
///
/// The count is the number of parts that hold points: a constant where all of them do.
loop::Program borders(const loop::Program& program);

}  // namespace mdh::passes
