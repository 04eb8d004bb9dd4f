// Operators on intervals. Only the sources of this folder include this header.
#pragma once

#include "mdh/hl/ranges/interval.h"

namespace mdh::hl {

/// All values of a type.
Interval whole(scalar::Scalar type, Trouble trouble = Trouble::none);

Trouble first_trouble(const Interval& a, const Interval& b);

/// `type` is that of the operands.
Interval interval_of(scalar::UnaryOp op, scalar::Scalar type, const Interval& a);
Interval interval_of(scalar::BinaryOp op, scalar::Scalar type, const Interval& a,
                     const Interval& b);

Interval converted_interval(scalar::Scalar from, scalar::Scalar to, const Interval& a);

}  // namespace mdh::hl
