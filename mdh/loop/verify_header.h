// Rules of what stands before the body, but for names and buffers.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::loop {

/// Whatever is named there exists.
void verify_header(const Program& p);

}  // namespace mdh::loop
