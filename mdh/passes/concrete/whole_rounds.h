// Loops that are written out run all their rounds, or know which of them to leave out.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  for k < min(n, room) { X }
///       ->  if room >= n { for k < n { X } } else { for k < n { if k < room { X } } }
///
/// Only loops that are to be written out and use registers, on targets with groups, where compilers
/// keep a tile in registers only if all its indices are numbers: rounds that are left after writing
/// out a loop whose count nobody knows have none. The innermost such loop: doing so again around it
/// would double the code again.
loop::Program whole_rounds(const loop::Program& program, const machine::TargetFacts& facts);

}  // namespace mdh::passes
