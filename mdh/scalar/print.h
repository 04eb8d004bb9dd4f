// Expressions to text; parse_expression reads it back.
#pragma once

#include <string>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

std::string print(const Expr& e);

/// With its type told where nothing around it does: f32(0.5) instead of 0.5.
std::string print_typed(const Expr& e);

/// For places that parse_sum reads: what is weaker than a sum is put in parentheses.
std::string print_sum(const Expr& e);

}  // namespace mdh::scalar
