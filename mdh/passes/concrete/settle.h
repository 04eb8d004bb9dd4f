// Conditions that always hold are not asked.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// What the loops and conditions around a condition already say is left out of it; a choice of
/// which nothing is left is made. So is that between the sides of a maximum or minimum in a Let.
loop::Program settle(const loop::Program& program);

}  // namespace mdh::passes
