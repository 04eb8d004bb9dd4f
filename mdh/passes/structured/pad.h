// Register tiles at borders are computed as if they were whole.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Where a register tile reaches over an edge of a kept dimension, and reads along it only tiles
/// that were copied, it computes all of its elements; those beyond the edge are never written up.
/// The copies fill the places beyond the edge with elements at it, so that there is something to
/// read. Tiles that read the user's buffers are left as they are: they can be shifted.
///
/// Only along dimensions whose edge is left open, or is to be padded; where that is asked for and
/// not possible, it is a user error (E353).
loop::Program pad(const loop::Program& program);

}  // namespace mdh::passes
