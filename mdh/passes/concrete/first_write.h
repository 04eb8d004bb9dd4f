// Accumulations become loads, f, combinations and stores.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  accumulate t first (p, q) from x
///       ->  let i = ...; load a = x; apply r = f(a; i); if p == 0 && q == 0 { store t = r; }
///           else { load o = t; combine n = (o; r); store t = n; }
///
/// There are no neutral elements: the first contribution overwrites.
loop::Program first_write(const loop::Program& program);

}  // namespace mdh::passes
