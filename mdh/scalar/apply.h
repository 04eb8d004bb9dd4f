// Operations on single values, with the exact semantics of their types.
#pragma once

#include "mdh/scalar/expr.h"
#include "mdh/scalar/value.h"

namespace mdh::scalar {

Value truth(bool b);

/// One binary operation: wrap-around integers, IEEE floats, maxNum for min and max. Division of
/// integers by zero is a user error; shifts take the distance modulo the number of bits.
Value apply(BinaryOp op, Scalar type, Value a, Value b);
Value apply(UnaryOp op, Scalar type, Value a);

/// A cast: integers wrap around, floats round, floats to integers truncate and saturate.
Value converted(Scalar from, Scalar to, Value v);

}  // namespace mdh::scalar
