// First rounds leave loops in which everything else is the same.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  for k < n { X; if k == 0 { store } else { combine } }
///       ->  X(0); store; for k < n from 1 { X; combine }
/// rewrite:  for k < n { X; if k > 0 { join } }
///       ->  X(0); for k < n from 1 { X; if k > 0 { join } }
///
/// The innermost loop that decides whether a write is the first one, or whether a part has others
/// before it, runs its first round before it begins, so that no round has to decide (what loops
/// answer by themselves, settle removes). Loops around Deals stay as they are.
loop::Program peel(const loop::Program& program);

}  // namespace mdh::passes
