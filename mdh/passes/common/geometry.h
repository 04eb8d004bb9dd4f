// The arithmetic of padded partitioning: which parts hold points.
#pragma once

#include <optional>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Smallest index of a dimension below the given digits: Σ var · step.
loop::Expr base(const std::vector<loop::Digit>& digits, int dimension);

/// The condition under which the part below these digits holds a point; nothing if it always does.
std::optional<loop::Expr> nonempty(const loop::Program& p, const std::vector<loop::Digit>& digits);

/// A tile of registers and lanes, if there are any along the dimension, does not divide its size.
bool has_tile_at_edge(const loop::Program& p, int dimension);

/// How many parts of a digit hold points below the enclosing digits: the first ones, always.
loop::Expr trip(const loop::Program& p, const std::vector<loop::Digit>& enclosing,
                const loop::Digit& digit);

}  // namespace mdh::passes
