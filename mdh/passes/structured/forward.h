// Inputs are read where they are, if a tile of registers could not serve its readers.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// A tile in registers is cut into vectors. Reads along lanes that begin in the middle of one of
/// them (the neighbours of a stencil) read from the source of the tile instead, vector by vector:
/// exactly the points that are needed, not the hull. Then the tile is not filled at all. Only tiles
/// that are filled and read by the same straight code, and do not roll.
loop::Program forward(const loop::Program& program);

}  // namespace mdh::passes
