// Constants folded, dead and trivial statements removed.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Loops of one iteration become their body, barriers at the end of the kernel vanish: the end is
/// one.
loop::Program simplify(const loop::Program& program);

}  // namespace mdh::passes
