// The order of straight vector code.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Consecutive vector statements that accumulate f into registers are put in the order that the
/// program asks for (Program::emission): uses of one operand together, or forth and back. Results
/// are combined in another order then, which operators allow; the first one into an element stores.
loop::Program emit_order(const loop::Program& program);

}  // namespace mdh::passes
