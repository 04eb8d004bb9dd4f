// Scans inside of one core become loops.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  scan_step p X   ->   if p > 0 { every element of part p: (the last one before) ⊕ it }
loop::Program scans(const loop::Program& program);

}  // namespace mdh::passes
