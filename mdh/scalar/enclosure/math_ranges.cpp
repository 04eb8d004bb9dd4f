#include "mdh/scalar/enclosure/math_ranges.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mdh/scalar/enclosure/enclosing_operations.h"

namespace mdh::scalar {
namespace {

double left_of(const Enclosure& e) { return e.least.as_floating(); }
double right_of(const Enclosure& e) { return e.greatest.as_floating(); }

Enclosure interval(double least, double greatest, bool no_number = false) {
  return {Value::floating(least), Value::floating(greatest), no_number};
}

Enclosure hull_of_ends(const MathFunction& f, const Enclosure& x) {
  return hull(Scalar::f64, exactly(Scalar::f64, Value::floating(f.unary(left_of(x)))),
              exactly(Scalar::f64, Value::floating(f.unary(right_of(x)))));
}

Enclosure hull_of_corners(const MathFunction& f, const Enclosure& x, const Enclosure& y) {
  return corners(Scalar::f64, x, y, [&](Value a, Value b) {
    return Value::floating(f.binary(a.as_floating(), b.as_floating()));
  });
}

/// The greatest distance of two arguments; the subtraction may have rounded it down.
double length(const Enclosure& x) { return (right_of(x) - left_of(x)) * (1 + 0x1p-50); }

double middle(const Enclosure& x) { return left_of(x) + (right_of(x) - left_of(x)) / 2; }

/// A function whose slope is at most 1, and that of whose slope as well. If it does not turn inside
/// of the interval the ends are enough. Otherwise no line of slope 1 from an end is crossed.
Enclosure wave(const MathFunction& f, double (*slope)(double), const Enclosure& x) {
  if (has_infinity(x)) return left_of(x) == right_of(x) ? only_nan() : interval(-1, 1, true);
  const double w = length(x);
  if (std::fabs(slope(middle(x))) > w) return hull_of_ends(f, x);
  const double both = f.unary(left_of(x)) / 2 + f.unary(right_of(x)) / 2;
  return interval(std::max(-1.0, both - w / 2), std::min(1.0, both + w / 2));
}

/// A power of an interval that has negative numbers, with a whole exponent.
Enclosure whole_power(const MathFunction& f, const Enclosure& x, const Enclosure& y) {
  const bool one_side = right_of(x) < 0;
  const Enclosure ends = hull_of_corners(f, x, y);
  if (one_side) return ends;
  if (left_of(y) < 0) return interval(-INFINITY, INFINITY);
  const Enclosure at_zero = interval(left_of(y) == 0 ? 1 : -0.0, left_of(y) == 0 ? 1 : 0.0);
  return hull(Scalar::f64, ends, at_zero);
}

bool is_whole_point(const Enclosure& y) {
  return y.least == y.greatest && std::isfinite(left_of(y)) && std::trunc(left_of(y)) == left_of(y);
}

}  // namespace

Enclosure rising_range(const MathFunction& f, const Enclosure& x, const Enclosure&) {
  return hull_of_ends(f, x);
}

Enclosure rising_from_zero_range(const MathFunction& f, const Enclosure& x, const Enclosure&) {
  if (right_of(x) < 0) return only_nan();
  Enclosure result = hull_of_ends(f, interval(std::max(left_of(x), -0.0), right_of(x)));
  result.no_number = left_of(x) < 0;
  return result;
}

Enclosure absolute_range(const MathFunction&, const Enclosure& x, const Enclosure&) {
  const double a = std::fabs(left_of(x)), b = std::fabs(right_of(x));
  return interval(has_zero(x) ? 0.0 : std::min(a, b), std::max(a, b));
}

Enclosure sine_range(const MathFunction& f, const Enclosure& x, const Enclosure&) {
  return wave(f, std::cos, x);
}

Enclosure cosine_range(const MathFunction& f, const Enclosure& x, const Enclosure&) {
  return wave(f, std::sin, x);
}

/// Rises from pole to pole, and the poles are the zeros of cos.
Enclosure tangent_range(const MathFunction& f, const Enclosure& x, const Enclosure&) {
  if (has_infinity(x)) {
    return left_of(x) == right_of(x) ? only_nan() : everything(Scalar::f64);
  }
  if (std::fabs(std::cos(middle(x))) > length(x)) return hull_of_ends(f, x);
  return interval(-INFINITY, INFINITY);
}

/// On x >= +0 a power is monotone in the base and in the exponent.
Enclosure power_range(const MathFunction& f, const Enclosure& x, const Enclosure& y) {
  if (!std::signbit(left_of(x))) return hull_of_corners(f, x, y);
  if (is_whole_point(y)) return whole_power(f, x, y);
  return everything(Scalar::f64);
}

/// The angle of points of a rectangle is extreme at its corners, unless the rectangle has the
/// origin or crosses the negative abscissa, where the angle jumps.
Enclosure angle_range(const MathFunction& f, const Enclosure& ordinate, const Enclosure& abscissa) {
  const bool origin = has_zero(ordinate) && has_zero(abscissa);
  const bool crosses = std::signbit(left_of(ordinate)) != std::signbit(right_of(ordinate)) &&
                       std::signbit(left_of(abscissa));
  if (origin || crosses) return interval(-std::numbers::pi, std::numbers::pi);
  return hull_of_corners(f, ordinate, abscissa);
}

}  // namespace mdh::scalar
