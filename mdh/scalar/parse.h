// Text to expressions. Names stay unresolved (resolve.h), literals undecided (elaborate.h).
#pragma once

#include "mdh/scalar/expr.h"
#include "mdh/scalar/lexer.h"

namespace mdh::scalar {

/// expr of the grammar in docs/ir/high_level.md: conditional, then C's operators with the usual
/// strengths.
Expr parse_expression(TokenStream& tokens);

/// The (+ -) level only: sizes, indices and constants, where '<' and ',' belong to the
/// surroundings.
Expr parse_sum(TokenStream& tokens);

/// A whole text as one expression; for tests and for values on the command line.
Expr parse_expression(std::string_view text, const std::string& file = "<expression>");

}  // namespace mdh::scalar
