// Random decisions about code that passes may refuse, whatever the rules of configurations say.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/support/random.h"

namespace mdh::test {

/// The configuration with edges, combinations, axes of the machine, orders of groups, lines of tiles
/// and loops to write out as they are drawn, where they are possible; edges that it has and that are not possible are gone. The
/// program is the one whose dimensions are joined.
ll::Config with_decisions(const ll::Config& config, const hl::Program& program,
                          const machine::Machine& machine, Random random);

}  // namespace mdh::test
