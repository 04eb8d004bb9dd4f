// The smaller and the larger of two values in C, with the meaning they have in mdh.
//
// Both are associative and commutative bit for bit, so that every decomposition computes the same:
// -0 is smaller than +0, and of a number and NaN the result is the number. GPUs and ARM have
// instructions for exactly this; those of x86 return their second operand where the values are
// equal or one is NaN, and OpenCL C leaves the sign of the zero open.
#pragma once

#include <optional>
#include <string>

#include "mdh/backend/c/helpers.h"
#include "mdh/scalar/expr.h"

namespace mdh::backend {

bool is_extreme(scalar::BinaryOp op);

/// The name of a helper function of two scalars.
std::string c_extreme(Helpers& helpers, scalar::BinaryOp op, scalar::Scalar type);

/// The same for vectors.
std::string vector_extreme(Helpers& helpers, scalar::BinaryOp op, scalar::Scalar type,
                           int64_t lanes);

/// How a value is compared with its limit.
enum class Comparison { strict, or_equal };

/// x and c of min(x, c) or max(c, x) where c is written down: one comparison is enough then, which
/// clamping, and max(x, 0.0) above all, should not pay more for. Only of floats.
struct Limited {
  const scalar::Expr* value;
  const scalar::Expr* limit;
  Comparison comparison;
};
std::optional<Limited> find_limit(const scalar::Binary& b);

/// The name of a helper function of a value and its limit, scalars or vectors of so many lanes.
std::string c_limited(Helpers& helpers, scalar::BinaryOp op, scalar::Scalar type,
                      Comparison comparison);
std::string vector_limited(Helpers& helpers, scalar::BinaryOp op, scalar::Scalar type,
                           int64_t lanes, Comparison comparison);

}  // namespace mdh::backend
