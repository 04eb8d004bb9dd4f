// The loops of a copy between buffers in memory.
#pragma once

#include <optional>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Loops one in the other, and what is done for one element where all conditions hold.
struct CopyNest {
  std::vector<loop::For> loops;  // without their bodies
  std::vector<loop::Expr> conditions;
  loop::Block element;
};

/// The loops of a copy have no level.
std::optional<CopyNest> copy_nest_of(const loop::Stmt& s);

/// The loops from some depth on.
loop::Block loops_from(const CopyNest& nest, size_t depth);

}  // namespace mdh::passes
