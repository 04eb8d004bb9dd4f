// Loops on cores move outwards, loops in registers inwards.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::passes {

/// rewrite:  sequential s { cores c { X } }    ->   cores c { sequential s { X } }
///           unrolled u { sequential s { X } } ->   sequential s { unrolled u { X } }
///
/// Only where nothing else stands between the two loops: then they may be in any order, because
/// digits are independent of the order of loops. A core then runs its loops without waiting, and
/// parts side by side in one core end up innermost.
loop::Program interchange(const loop::Program& program);

}  // namespace mdh::passes
