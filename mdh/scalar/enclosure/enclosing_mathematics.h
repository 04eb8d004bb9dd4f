// Mathematical functions on enclosures.
#pragma once

#include <span>

#include "mdh/scalar/enclosure/deviations.h"
#include "mdh/scalar/enclosure/enclosure.h"
#include "mdh/scalar/mathematics.h"

namespace mdh::scalar {

/// How far a function may be off, and the numbers it gives on an interval.
struct MathBounds {
  std::string_view name;
  double host;    // ulps of f64 by which C's library may be off
  double opencl;  // ulps of the type by which OpenCL's may be off; f16 and bf16 compute in f32
  /// What the interpreter gives on an interval of doubles, rounded to double.
  Enclosure (*range)(const MathFunction& function, const Enclosure& x, const Enclosure& y);
};

/// Every function of find_math() has a row.
const MathBounds& math_bounds(std::string_view name);

/// Whether all right code gives the same result on the same arguments.
bool is_exact(const MathBounds& bounds, Scalar type, const Deviations& deviations);

/// What right code may compute on values of the arguments; unary functions ignore y.
Enclosure enclose_math(const MathFunction& function, const MathBounds& bounds, Scalar type,
                       const Enclosure& x, const Enclosure& y, const Deviations& deviations);

/// A quotient on a device with loose division: up to 2.5 ulps of f32 off.
Enclosure enclose_loose_quotient(Scalar type, const Enclosure& a, const Enclosure& b);

}  // namespace mdh::scalar
