// Conditions of loop programs: comparisons of indices, joined by 'and'.
#pragma once

#include <optional>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// What must all hold.
std::vector<loop::Expr> conjuncts(const loop::Expr& condition);

/// One condition that says that all of them hold; there is at least one.
loop::Expr all_of(const std::vector<loop::Expr>& conditions);

/// Whether a condition without variables holds; also of others, where one conjunct tells.
std::optional<bool> decided(const loop::Expr& condition);

/// The condition without conjuncts that hold anyway.
loop::Expr undecided_part(const loop::Expr& condition);

}  // namespace mdh::passes
