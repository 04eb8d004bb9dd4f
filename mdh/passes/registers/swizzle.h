// Pieces of lines change places, so that those below each other lie in different banks.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  t[r, c]  ->  t[r, c ^ (r % 8) * 4]      where t is `swizzle 8`, and has numbers of 4 bytes
///
/// Of tiles of a group, in every load, store and copy. Pieces of 16 bytes stay together, so that
/// what is moved at once still is. Cores that share no memory of a group have no banks: their tiles
/// stay as they are.
loop::Program swizzle(const loop::Program& program, const machine::TargetFacts& facts);

/// The pass will change places in the buffer: neighbours may not lie side by side.
bool is_swizzled(const loop::Buffer& b, const machine::TargetFacts& facts);

}  // namespace mdh::passes
