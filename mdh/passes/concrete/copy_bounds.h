// The bounds of copies leave their inner loops.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Loops that copy a tile into memory, element by element: a condition on one of their counters
/// becomes the trip count of its loop; what several counters decide together, or an index that is
/// held back at an edge, is decided for many elements at once, with one nest of loops for those
/// that are all inside, and one for the others.
loop::Program copy_bounds(const loop::Program& program);

}  // namespace mdh::passes
