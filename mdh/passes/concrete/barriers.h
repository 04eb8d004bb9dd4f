// Barriers where cores depend on each other.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  deal (a) { store t } deal (b) { load t }   ->   deal (a) .. barrier; deal (b) ..
///
/// Two Deals need a barrier between them if one writes what the other reads or writes and they do
/// not share the work in the same way. Loops are taken into account: what follows the end of a body
/// is its beginning. An asynchronous copy is written by its core at each Wait that may land it, so
/// that the barrier stands behind the Wait.
loop::Program barriers(const loop::Program& program);

}  // namespace mdh::passes
