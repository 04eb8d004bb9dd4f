// Operations on single values, with the exact semantics of their types.
#pragma once

#include "mdh/scalar/expr.h"
#include "mdh/scalar/value.h"

namespace mdh::scalar {

Value truth(bool b);

/// One binary operation, defined for all operands: wrap-around integers, IEEE floats; the smaller
/// one of -0 and +0 is -0, and of a number and NaN the number. What is divided by the integer 0,
/// and its remainder, are 0; shifts take the distance modulo the number of bits.
Value apply(BinaryOp op, Scalar type, Value a, Value b);

/// Where the value of an expression has to be right before anything is computed, as that of an
/// index, division of integers by zero is a user error.
void check_divisor(BinaryOp op, Scalar type, Value b);

Value apply(UnaryOp op, Scalar type, Value a);

/// A cast: integers wrap around, floats round, floats to integers truncate and saturate.
Value converted(Scalar from, Scalar to, Value v);

}  // namespace mdh::scalar
