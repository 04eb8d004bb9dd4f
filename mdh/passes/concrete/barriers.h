// Barriers where cores depend on each other.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  deal (a) { store t } deal (b) { load t }   ->   deal (a) .. barrier; deal (b) ..
///
/// Two Deals need a barrier between them if one writes what the other reads or writes and they do
/// not share the work in the same way. Loops are taken into account: what follows the end of a body
/// is its beginning. An asynchronous copy is written by its core at each Wait that may land it, so
/// that the barrier stands behind the Wait. Different slots of a tile, counted by a loop around both
/// Deals, are different places (slots.h), and what is held belongs to the shares of steady Deals.
///
/// Where neighbouring cores have a barrier of their own, that barrier, of warps, is enough between
/// Deals whose common temporaries stay inside of a warp: they are per the first shares of both Deals,
/// and the other shares are equally many and divide a warp.
loop::Program barriers(const loop::Program& program, const machine::TargetFacts& facts = {});

}  // namespace mdh::passes
