// .mdh text to programs. The grammar is in docs/ir/high_level.md.
#pragma once

#include <string>
#include <string_view>

#include "mdh/hl/program.h"
#include "mdh/scalar/lexer.h"

namespace mdh::hl {

/// Reads a whole .mdh file. Names are resolved, types not yet checked: a generic program is checked
/// when it is instantiated, a concrete one here.
Program parse(std::string_view text, const std::string& file = "<text>");

/// Reads one "program ..." declaration inside another text form.
Program parse_declaration(scalar::TokenStream& tokens);

}  // namespace mdh::hl
