// In which order the cores of a group walk along a tile that they copy together.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/passes/common/names.h"

namespace mdh::passes {

struct CopyShape {
  loop::Copy copy;
  size_t kept = 0;  // of the last axes: one core copies all of them
};

/// rewrite:  copy (a < 16, b < 128) t[a, b] = x[b, a]   ->   copy (b < 128, a_4 < 4, a < 4)
///           t[4 * a_4 + a, b] = x[b, 4 * a_4 + a], kept 1
///
/// Axes are in the order in which the source lies, so that neighbouring cores read neighbouring
/// elements. Where the source provably lies side by side and begins at a multiple, one core copies as
/// many elements as it can load at once; copies in flight need the same of the other side. Copies
/// whose source is no sum of their axes (edges apart), that roll, or that move within a buffer keep their shape.
CopyShape shape_of(const loop::Program& p, const loop::Copy& copy, int64_t access_bytes,
                   Names& names);

}  // namespace mdh::passes
