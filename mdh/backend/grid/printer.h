// Programs on a grid of groups of items, in any language that has such a grid.
#pragma once

#include <string>

#include "mdh/backend/grid/words.h"
#include "mdh/kernel/module.h"

namespace mdh::backend {

/// Every grid of the program becomes a function that is launched, loops around grids become loops
/// of the host. Groups and items are numbered along one axis, unless digits say on which they are.
kernel::Module print_grid(const loop::Program& program, const std::string& name,
                          const GridWords& words);

}  // namespace mdh::backend
