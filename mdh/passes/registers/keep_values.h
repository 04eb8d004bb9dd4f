// Straight code hands values on instead of storing and loading them.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/machine/target_facts.h"

namespace mdh::passes {

/// rewrite:  load o = acc[0]; combine s = (o; f); store acc[0] = s;
///           load p = acc[0]; combine t = (p; g); store acc[0] = t;
///       ->  load o = acc[0]; combine s = (o; f); combine t = (s; g); store acc[0] = t;
///
/// What one core has in registers is stored once, where straight code ends, and what is loaded twice
/// from memory that nobody writes meanwhile is loaded once. Nothing else changes: compilers make the
/// same code of both. But they look through every store and every load, all statements between them
/// for each, and NVIDIA's took two to seven times as long for large tiles. Only on targets whose cores
/// have no vectors.
loop::Program keep_values(const loop::Program& program, const machine::TargetFacts& facts);

}  // namespace mdh::passes
