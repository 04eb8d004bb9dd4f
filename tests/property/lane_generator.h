// Random programs whose scalar functions have lanes, and configurations that put them there.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/support/random.h"

namespace mdh::test {

/// Numbers of several widths, truth in lets, loops that end at different times, indices in f.
/// Small.
hl::Program lane_program(Random& random);

/// A level of the last dimension is on lanes, for the machine `cpu`.
ll::Config lane_config(const hl::Program& program, Random& random);

}  // namespace mdh::test
