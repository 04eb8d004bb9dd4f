// Loop programs to .loop.mdh text; parse() reads it back as an equal program.
#pragma once

#include <string>

#include "mdh/loop/program.h"

namespace mdh::loop {

std::string print(const Program& p);

/// "w[i, k + 1]"
std::string print(const Element& element);

}  // namespace mdh::loop
