// The order of straight vector code.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// Consecutive vector statements that accumulate f into registers are put in the order that the
/// program asks for (Program::emission): uses of one operand together, or forth and back. Results
/// are combined in another order then, which operators allow; the first one into an element stores.
/// Where lanes are written out, those of statements on the way back run backwards, too.
loop::Program emit_order(const loop::Program& program, const machine::TargetFacts& facts);

}  // namespace mdh::passes
