// Copies that fill a tile beyond an edge, too, instead of asking for every element.
#pragma once

#include <set>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Nothing but an edge keeps the copy from elements along these axes, and nothing moves in an order.
bool can_be_filled(const loop::Copy& copy, const std::set<Symbol>& axes);

/// rewrite:  copy (a < 16) t[a] = x[k + a] within (k + a < 1021)
///       ->  copy (a < 16) t[a] = x[min(k + a, 1020)] within ()
///
/// Of a tile that is copied from another one, only the conditions go: that one has everything.
loop::Copy filled(const loop::Program& p, loop::Copy copy, const std::set<Symbol>& axes);

}  // namespace mdh::passes
