// Rules of the buffers of a loop program.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::loop {

/// What is said of it fits together.
void verify_buffer(const Buffer& b);

}  // namespace mdh::loop
