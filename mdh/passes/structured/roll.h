// Tiles that keep what the next iteration shares.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  loop s { alloc t; copy (c < 6) t[c] = x[s * 4 + c] .. roll s along c by 4; use t }
///       ->  alloc t;
///           loop s {
///             copy (c < 6) t[c] = x[s * 4 + c] within (s == 0);
///             copy (c < 2) t[c] = t[c + 4] within (s > 0);
///             copy (d < 4) t[2 + d] = x[s * 4 + 2 + d] within (s > 0);
///             use t }
///
/// The first iteration copies the whole tile, all others move what they share with the one before,
/// line by line, and copy the rest. The tile then lives as long as the loop.
loop::Program roll(const loop::Program& program);

}  // namespace mdh::passes
