// Operations on enclosures. Rounding is monotone, so the ends of a result are operations on ends.
#pragma once

#include "mdh/scalar/enclosure/enclosure.h"
#include "mdh/scalar/expr.h"

namespace mdh::scalar {

/// What apply() gives on values of the operands. Points give points, except that the zero that the
/// smaller or larger one of -0 and +0 is may be either. Dividing an integer by what is surely zero
/// does what apply() does.
Enclosure enclose(BinaryOp op, Scalar type, const Enclosure& a, const Enclosure& b);
Enclosure enclose(UnaryOp op, Scalar type, const Enclosure& a);

/// What converted() gives.
Enclosure enclose_cast(Scalar from, Scalar to, const Enclosure& a);

/// x * y + z, rounded once; f32 and f64 only.
Enclosure enclose_fused(Scalar type, const Enclosure& x, const Enclosure& y, const Enclosure& z);

/// What may have been rounded to a value of the enclosure: the neighbours of its ends included; f32
/// and f64 only.
Enclosure before_rounding(Scalar type, const Enclosure& e);

/// With both zeros if it has subnormal numbers of f32: devices may take them for zero, of any sign.
Enclosure flushed(Scalar type, const Enclosure& e);

/// The hull of an operation on all corners of two intervals: enough where it is monotone in each
/// operand as long as the other one stays. No corner may be NaN.
template <class Operation>
Enclosure corners(Scalar type, const Enclosure& a, const Enclosure& b, Operation&& operation) {
  const auto at = [&](Value x, Value y) { return exactly(type, operation(x, y)); };
  return hull(type, hull(type, at(a.least, b.least), at(a.least, b.greatest)),
              hull(type, at(a.greatest, b.least), at(a.greatest, b.greatest)));
}

/// Zero of any sign, and infinity of any sign, among the numbers of an enclosure of floats.
bool has_zero(const Enclosure& e);
bool has_infinity(const Enclosure& e);

}  // namespace mdh::scalar
