// What a concrete program must satisfy before anything else looks at it.
#pragma once

#include "mdh/hl/program.h"

namespace mdh::hl {

/// Throws the first violation as a user error with its place: sizes below 1, outputs that are not
/// assigned exactly once, index functions that leave the buffer, divide by zero or overflow at any
/// point (see check_index.h), operators that do not fit together.
void verify(const Program& p);

}  // namespace mdh::hl
