// Operations on intervals of integers, which wrap around.
#pragma once

#include "mdh/scalar/enclosure/enclosure.h"
#include "mdh/scalar/expr.h"

namespace mdh::scalar {

/// Where a result may wrap around, and of operators on bits, it is the whole range of the type.
Enclosure enclose_integers(BinaryOp op, Scalar type, const Enclosure& a, const Enclosure& b);

/// A cast between integers.
Enclosure wrap_integers(Scalar from, Scalar to, const Enclosure& a);

/// The absolute value; the least number of a type has none and stays.
Enclosure absolute_integers(Scalar type, const Enclosure& a);

}  // namespace mdh::scalar
