// Copies become loops, loads and stores, or copies of single elements that land later.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  copy (c < 4) t[c] = M[i + c] within (i + c < 7)
///       ->  for c < 4 { if i + c < 7 { load x = M[i + c]; store t[c] = x; } }
///
/// An asynchronous copy issues its elements instead; `stagger` has put Commit and Wait behind it.
loop::Program place_copies(const loop::Program& program);

}  // namespace mdh::passes
