// Buffers and lists of names in the text form of loops.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/scalar/lexer.h"
#include "mdh/scalar/resolve.h"

namespace mdh::loop {

/// What follows "buffer". The scope knows records of the user.
Buffer parse_buffer(scalar::TokenStream& tokens, const scalar::Scope& scope);

/// Names with commas between them, none or more, and what ends the list.
std::vector<Symbol> parse_names(scalar::TokenStream& tokens, const char* end);

}  // namespace mdh::loop
