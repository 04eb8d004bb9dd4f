// Register tiles have two bodies: one for whole tiles, without bounds, and one for borders.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// A block that begins a register tile, or runs over one, becomes `if (all is inside) {whole} else
/// {border}`, where inside means that loops over registers and lanes, and copies into registers,
/// never reach an edge. In the whole tile their bounds are numbers and their conditions are gone.
///
/// Along dimensions that are clamped or masked there is one body. Tiles are shifted back from an
/// edge where that is allowed, and neither padding nor one of those is asked for; where it is asked
/// for and no tile can be shifted, that is a user error (E353).
loop::Program two_bodies(const loop::Program& program);

}  // namespace mdh::passes
