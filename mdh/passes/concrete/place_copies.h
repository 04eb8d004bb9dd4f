// Copies become loops, loads and stores, or copies of single elements that land later.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  copy (c < 4) t[c] = M[i + c] within (i + c < 7)
///       ->  for c < 4 { if i + c < 7 { load x = M[i + c]; store t[c] = x; } }
///
/// An asynchronous copy issues its elements instead; `stagger` has put Commit and Wait behind it.
/// A copy that is asked for ahead of time prefetches one element of each cache line of the target.
/// Register tiles are cut into vectors of the target.
loop::Program place_copies(const loop::Program& program, const machine::TargetFacts& facts = {});

}  // namespace mdh::passes
