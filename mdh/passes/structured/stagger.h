// Copies run ahead of the loop that needs them.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  loop s { copy t = x(s); use t }     (t of depth 2)
///       ->  copy t[0] = x(0); loop s { copy t[(s + 1) % 2] = x(s + 1); use t[s % 2] }
///
/// The copy of the iteration that comes depth - 1 later is made while this one computes; the first
/// ones are made before the loop. A tile whose copy does not stand at the beginning of a sequential
/// loop keeps its room and uses the first part of it.
///
/// Asynchronous copies are committed in groups, one per iteration, and waited for where their tile
/// is needed:
///
///           copy async t[0] = x(0); commit;
///           loop s { wait 0; copy async t[(s + 1) % 2] = x(s + 1); commit; use t[s % 2] }
///
/// A copy through registers is cut in two. What the next iteration needs is loaded before this one
/// computes, and stored when the next one begins: nobody waits for the loads, and the tile is not
/// written while others may still read that slot. Both halves are dealt to the cores alike, so that
/// everybody stores what he has loaded (h is held; depth 2, with more both are done earlier):
///
///           copy h = x(0);
///           loop s { copy t[s % 2] = h; copy h = x(s + 1); use t[s % 2] }
///
/// Copies that say `across n`, the loop right around s, count the rounds of both as one: the last
/// rounds of s copy for the first ones of the next n, and the first copies come before n. Only where
/// s has all its rounds, and what is copied stays as it is in n.
///
/// Where no loop staggers it, everything is loaded before anything is stored. On machines whose cores
/// make no wide accesses, into tiles that no group shares or that one core copies alone, from tiles with slots where no loop staggers
/// it, and where it is not within one kernel, it is a plain copy.
///
/// Where cores make wide accesses, loops write out as many rounds as tiles in registers have slots.
loop::Program stagger(const loop::Program& program, const machine::TargetFacts& facts);

}  // namespace mdh::passes
