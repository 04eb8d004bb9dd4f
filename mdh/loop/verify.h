// What every loop program must satisfy, after every pass.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::loop {

/// Names are unique and defined before use, elements have the rank of their buffer, digits cover
/// their dimension, stores are inside of Deal and barriers outside (once there are Deals). An
/// internal error otherwise: passes must not break it.
void verify(const Program& p);

}  // namespace mdh::loop
