// Levels become counted loops.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  loop l1_i { X }
///       ->  for L1.i l1_i < min(4, (7 - base + 1) / 2) { X }
///
/// The count is the number of parts that hold points: a constant where all of them do. Registers
/// and lanes of a masked dimension count all of their parts, and each asks whether it holds points.
loop::Program borders(const loop::Program& program);

}  // namespace mdh::passes
