// .ll.mdh text to low-level programs. The grammar is in docs/ir/low_level.md.
#pragma once

#include <string>
#include <string_view>

#include "mdh/ll/program.h"

namespace mdh::ll {

Program parse(std::string_view text, const std::string& file = "<text>");

}  // namespace mdh::ll
