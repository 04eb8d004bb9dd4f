// Last rounds leave loops whose other rounds need not be shifted.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  for q < n { let s = max(0, E(q)); X(q - s) }        with E(n - 2) <= 0
///       ->  for q < n - 1 { let s = max(0, E(q)); X(q - s) }  let s = max(0, E(n - 1)); X(n - 1 -
///       s)
///
/// In the loop the shift is known to be 0 (settle says so), and addresses go on from round to
/// round. The innermost loop only: doing so again around it would double the code again.
loop::Program last_rounds(const loop::Program& program);

}  // namespace mdh::passes
