// The numbers that mathematical functions give on intervals of doubles.
//
// All of them map enclosures of f64 to enclosures of f64. Ends are computed by the interpreter's
// functions: how far those are off is left to the caller.
#pragma once

#include "mdh/scalar/enclosure/enclosure.h"
#include "mdh/scalar/mathematics.h"

namespace mdh::scalar {

/// Functions that rise wherever they are defined: exp, tanh, floor, sqrt from -0, log from -0.
Enclosure rising_range(const MathFunction& f, const Enclosure& x, const Enclosure& y);
Enclosure rising_from_zero_range(const MathFunction& f, const Enclosure& x, const Enclosure& y);

Enclosure absolute_range(const MathFunction& f, const Enclosure& x, const Enclosure& y);
Enclosure sine_range(const MathFunction& f, const Enclosure& x, const Enclosure& y);
Enclosure cosine_range(const MathFunction& f, const Enclosure& x, const Enclosure& y);
Enclosure tangent_range(const MathFunction& f, const Enclosure& x, const Enclosure& y);
Enclosure power_range(const MathFunction& f, const Enclosure& x, const Enclosure& y);

/// atan2(y, x): the first argument is the ordinate.
Enclosure angle_range(const MathFunction& f, const Enclosure& ordinate, const Enclosure& abscissa);

}  // namespace mdh::scalar
