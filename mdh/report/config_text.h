// A configuration in one line.
#pragma once

#include <string>

#include "mdh/ll/config.h"

namespace mdh::report {

/// "COR.j 2, L2.k 2, L1.i 16; A in L1; C in REG; gcc -O3": loops with their parts from outside in,
/// where buffers are kept, and who compiles it.
std::string short_text(const ll::Config& config);

}  // namespace mdh::report
