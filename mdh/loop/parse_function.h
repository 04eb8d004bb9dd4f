// f and ⊕ in the text form of loops.
#pragma once

#include "mdh/loop/program.h"
#include "mdh/scalar/lexer.h"
#include "mdh/scalar/resolve.h"

namespace mdh::loop {

/// "function" NAME "(" parameters ")" "{" { NAME "=" expr ";" } { NAME ":" type "=" expr ";" } "}".
/// The scope knows records and functions of the user.
scalar::Function parse_function(scalar::TokenStream& tokens, const char* name,
                                const scalar::Scope& scope);

/// What follows "emit": "serpentine", "by" and parameters of f, or both.
Emission parse_emission(scalar::TokenStream& tokens);

/// Names of accesses may have a number: x.2
std::string member_name(scalar::TokenStream& tokens);

/// The name of a type.
scalar::Type parse_type(scalar::TokenStream& tokens, const scalar::Scope& scope);

/// min, max and casts are written as calls; there are no other functions in indices.
scalar::Expr resolve_calls(const scalar::Expr& e);

}  // namespace mdh::loop
