// Rules of buffers that members of a grid combine into.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::loop {

/// Nothing but combinations and takes uses them, with all results of f side by side, and what is taken
/// is complete: whoever takes it has waited for the members.
void verify_atomics(const Program& p);

}  // namespace mdh::loop
