// Random programs and configurations for property tests.
#pragma once

#include <string>

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/support/random.h"

namespace mdh::test {

/// A concrete program of the catalogue at an odd, prime or 1-sized instance, or one that nobody
/// thought of: up to four dimensions, concatenated or reduced in any order, several buffers,
/// accesses and outputs, any scalar type.
hl::Program random_program(Random& random);

/// Any valid configuration: layers in any order of significance, counts that divide or pad, loops
/// in any order.
ll::Config random_config(const hl::Program& program, const machine::Machine& machine,
                         Random& random);

/// A machine whose rules any partition keeps: one of ours without limits of its own, or one that is
/// deeper than all of them.
const machine::Machine& random_machine(Random& random);

}  // namespace mdh::test
