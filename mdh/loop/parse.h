// .loop.mdh text to loop programs, both dialects. The grammar is in docs/ir/loop.md.
#pragma once

#include <string>
#include <string_view>

#include "mdh/loop/program.h"

namespace mdh::loop {

Program parse(std::string_view text, const std::string& file = "<text>");

}  // namespace mdh::loop
