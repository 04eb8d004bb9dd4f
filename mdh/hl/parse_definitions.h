// The part of a .mdh file before its program: records, functions, operators.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/scalar/lexer.h"
#include "mdh/scalar/resolve.h"

namespace mdh::hl {

/// Reads definitions until something else begins. Records and functions are declared in the scope;
/// functions are typed here, operators when their program is.
Definitions parse_definitions(scalar::TokenStream& tokens, scalar::Scope& scope);

/// body = "=" expr ";" | "{" { (NAME "=" | "return") expr ";" } "}". The value that is returned is
/// assigned to the name "return".
std::vector<scalar::Assignment> parse_body(scalar::TokenStream& tokens);

/// One "NAME = expr ;" or "return expr ;".
scalar::Assignment parse_assignment(scalar::TokenStream& tokens);

}  // namespace mdh::hl
