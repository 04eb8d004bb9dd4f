// Which of several configurations leave every thread its registers: estimates do not see what a
// compiler makes of them.
#pragma once

#include <string>
#include <vector>

#include "mdh/driver/target.h"
#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"

namespace mdh::tuning {

/// The first of them that compiles and keeps nothing of a thread in memory, as the compiler for the
/// device tells ("cuda:1"; empty: the first one); else the one that keeps the least there. What was
/// compiled stays in the cache of kernels. The first one where nobody tells.
size_t first_without_spills(const hl::Program& program, const machine::Machine& machine,
                            const std::vector<ll::Config>& configs, const driver::Target& target,
                            const std::string& device);

}  // namespace mdh::tuning
