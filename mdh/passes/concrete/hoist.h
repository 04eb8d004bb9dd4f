// Index computations move out of the loops they do not depend on.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  for k { let i = a; X }   ->   let i = a; for k { X }      if a does not mention k
loop::Program hoist(const loop::Program& program);

}  // namespace mdh::passes
