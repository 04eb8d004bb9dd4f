// Compilers do not look through copies into registers, where that is asked for.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  for k { lanes a < 4 { load x = t[0]; ... } }                         (t is opaque)
///       ->  for k { opaque t; lanes a < 4 { load x = t[0]; ... } }
///
/// What is computed from a tile alone is computed where it is used, in every round: a compiler that
/// computes it before the loop may need more registers than there are.
loop::Program hide_tiles(const loop::Program& program);

}  // namespace mdh::passes
