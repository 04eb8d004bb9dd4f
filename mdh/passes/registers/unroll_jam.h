// Loops over registers become straight code.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Every loop over copies in registers with a known number of rounds is written out, round by
/// round, innermost loops first; what would become too long stays a loop. Where such a loop may end
/// at a border, but works on registers that straight code uses, too, each round is written out with
/// its condition: variables have no index that a loop could count.
loop::Program unroll_jam(const loop::Program& program);

}  // namespace mdh::passes
