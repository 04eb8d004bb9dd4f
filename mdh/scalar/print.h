// Expressions to text; parse_expression reads it back.
#pragma once

#include <string>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

std::string print(const Expr& e);

}  // namespace mdh::scalar
