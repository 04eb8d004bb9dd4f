// Rewriting statements that know which digits have values.
#pragma once

#include <functional>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// What takes the place of a statement; `around` are the digits of the loops and Deals around it.
using Rewrite =
    std::function<loop::Block(const loop::Stmt& s, const std::vector<loop::Digit>& around)>;

/// Rewrites the body of a program, innermost statements first.
loop::Program rewritten(const loop::Program& program, const Rewrite& rewrite);

}  // namespace mdh::passes
