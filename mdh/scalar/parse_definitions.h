// The text form of records, functions and their bodies, wherever it stands.
#pragma once

#include "mdh/scalar/lexer.h"
#include "mdh/scalar/resolve.h"

namespace mdh::scalar {

/// After "record": NAME "{" { NAME ":" type ["[" INT "]"] ";" } "}". It is declared in the scope.
Record parse_record(TokenStream& tokens, Scope& scope);

/// After "fun": NAME "(" [ NAME ":" type {"," ...} ] ")" ":" type body. It is declared in the
/// scope.
Function parse_function(TokenStream& tokens, Scope& scope);

/// body = "=" expr ";" | "{" { (NAME "=" | "return") expr ";" } "}". The value that is returned is
/// assigned to the name "return".
std::vector<Assignment> parse_body(TokenStream& tokens);

/// One "NAME = expr ;" or "return expr ;".
Assignment parse_assignment(TokenStream& tokens);

}  // namespace mdh::scalar
