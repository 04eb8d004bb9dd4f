// Low-level programs to .ll.mdh text; parse() reads it back as an equal program.
#pragma once

#include <string>

#include "mdh/ll/program.h"

namespace mdh::ll {

std::string print(const Program& p);

}  // namespace mdh::ll
