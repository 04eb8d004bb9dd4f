// Algebra on 64-bit index expressions: what loop bounds and addresses are made of.
#pragma once

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

/// Folds constants and removes neutral operations (x + 0, x * 1, x * 0, x / 1, min of equal
/// operands). Index arithmetic is assumed not to overflow. Expressions of other types are left as
/// they are.
Expr simplify(const Expr& e);

/// The expression where a variable has a value, simplified.
Expr with_value(const Expr& e, const Symbol& var, int64_t value);
Expr with_value(const Expr& e, const Symbol& var, const Expr& value);

// Index arithmetic that simplifies as it builds.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr least(const Expr& a, const Expr& b);
Expr quotient(const Expr& a, const Expr& b);

/// ceil(a / b) for a >= 0 and b > 0; not above zero if a is not.
Expr ceiling_quotient(const Expr& a, int64_t b);

}  // namespace mdh::scalar
