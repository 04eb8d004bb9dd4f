// Programs to canonical .mdh text; parse() reads it back as an equal program.
#pragma once

#include <string>

#include "mdh/hl/program.h"

namespace mdh::hl {

std::string print(const Program& p);

/// "cc" or "pw(add)".
std::string print(const CombineOperator& op);

/// "program name<...> = ..." without the file's first line; for embedding into other text forms.
std::string print_declaration(const Program& p);

}  // namespace mdh::hl
