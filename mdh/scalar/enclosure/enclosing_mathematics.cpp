#include "mdh/scalar/enclosure/enclosing_mathematics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mdh/scalar/enclosure/enclosing_integers.h"
#include "mdh/scalar/enclosure/enclosing_operations.h"
#include "mdh/scalar/enclosure/math_ranges.h"
#include "mdh/support/diagnostic.h"

namespace mdh::scalar {
namespace {

// Host: errors of glibc on x86-64 and aarch64, rounded up to whole ulps. OpenCL: the table of
// relative errors in the standard, the same for f32 and f64. sqrt is correctly rounded, but for f32
// on devices with loose division. Of the others, 0 means exact.
constexpr std::array<MathBounds, 15> math_rows = {{
    {"abs", 0, 0, absolute_range},
    {"sqrt", 0, 3, rising_from_zero_range},
    {"exp", 1, 3, rising_range},
    {"exp2", 1, 3, rising_range},
    {"log", 1, 3, rising_from_zero_range},
    {"log2", 1, 3, rising_from_zero_range},
    {"log10", 2, 3, rising_from_zero_range},
    {"sin", 1, 4, sine_range},
    {"cos", 1, 4, cosine_range},
    {"tan", 1, 5, tangent_range},
    {"tanh", 2, 5, rising_range},
    {"floor", 0, 0, rising_range},
    {"ceil", 0, 0, rising_range},
    {"pow", 1, 16, power_range},
    {"atan2", 1, 6, angle_range},
}};

/// Distance of neighbouring numbers of f32 or f64 around v.
double ulp(Scalar unit, double v) {
  const bool wide = unit == Scalar::f64;
  int exponent = wide ? -1074 : -149;  // of 0, which has none of its own
  if (v != 0) std::frexp(v, &exponent);
  return std::ldexp(1.0, std::max(exponent - (wide ? 53 : 24), wide ? -1074 : -149));
}

/// By how much right code and we may be apart: its own error and ours.
struct Distance {
  Scalar unit;     // f16 and bf16 compute in f32
  double code;     // ulps of the unit
  double ours;     // ulps of f64
  Scalar rounded;  // the type that our values have been rounded to
  double times;    // more than 1 for intervals, where an ulp is not the same at all points

  double at(double v) const { return times * (code * ulp(unit, v) + ours * ulp(Scalar::f64, v)); }
};

/// The least that may stand for v. No code is off by so much that the sign is wrong; what
/// overflows may not overflow elsewhere.
double lowest(double v, const Distance& error) {
  if (std::isinf(v) && v < 0) return v;
  const double greatest = error.rounded == Scalar::f64 ? std::numeric_limits<double>::max()
                                                       : std::numeric_limits<float>::max();
  const double finite = std::min(v, greatest);
  const double least = finite - error.at(finite);
  return std::signbit(v) ? least : std::max(least, 0.0);
}

double highest(double v, const Distance& error) { return -lowest(-v, error); }

Enclosure widened(Scalar type, const Enclosure& e, const Distance& error) {
  if (!e.has_numbers()) return e;
  return {from_floating(type, lowest(e.least.as_floating(), error)),
          from_floating(type, highest(e.greatest.as_floating(), error)), e.no_number};
}

Enclosure rounded_ends(Scalar type, const Enclosure& e) {
  if (!e.has_numbers()) return e;
  return {from_floating(type, e.least.as_floating()), from_floating(type, e.greatest.as_floating()),
          e.no_number};
}

Scalar computed_in(Scalar type) { return type == Scalar::f64 ? Scalar::f64 : Scalar::f32; }

/// Zeros and infinities that come of zeros and infinities are never approximate.
bool is_limit(double v, double x, double y) {
  const auto extreme = [](double z) { return z == 0 || std::isinf(z); };
  return extreme(v) && (extreme(x) || extreme(y));
}

Distance error_of(const MathBounds& bounds, Scalar type, const Deviations& deviations) {
  const bool host = deviations.mathematics == MathLibrary::host;
  return {host ? Scalar::f64 : computed_in(type), host ? bounds.host : bounds.opencl,
          std::max(bounds.host, 1.0), Scalar::f64, 1};
}

Enclosure at_point(const MathFunction& f, const MathBounds& bounds, Scalar type, Value x, Value y,
                   const Deviations& deviations) {
  const double a = x.as_floating(), b = y.as_floating();
  const double v = f.unary ? f.unary(a) : f.binary(a, b);
  if (std::isnan(v)) return only_nan();
  const Enclosure point = exactly(Scalar::f64, Value::floating(v));
  if (is_exact(bounds, type, deviations) || is_limit(v, a, f.unary ? a : b)) {
    return rounded_ends(type, point);
  }
  return widened(type, point, error_of(bounds, type, deviations));
}

Enclosure on_interval(const MathFunction& f, const MathBounds& bounds, Scalar type,
                      const Enclosure& x, const Enclosure& y, const Deviations& deviations) {
  const Enclosure range = bounds.range(f, x, y);
  if (is_exact(bounds, type, deviations)) return rounded_ends(type, range);
  Distance error = error_of(bounds, type, deviations);
  error.times = 2;
  return widened(type, range, error);
}

}  // namespace

const MathBounds& math_bounds(std::string_view name) {
  const auto* row = std::find_if(math_rows.begin(), math_rows.end(),
                                 [&](const MathBounds& r) { return r.name == name; });
  internal_check(row != math_rows.end(), "nobody knows how exact '{}' is", name);
  return *row;
}

bool is_exact(const MathBounds& bounds, Scalar type, const Deviations& deviations) {
  if (!is_floating(type)) return true;
  if (deviations.mathematics == MathLibrary::host) return bounds.host == 0;
  const bool correctly_rounded =
      bounds.host == 0 && (type == Scalar::f64 || !deviations.loose_division);
  return bounds.opencl == 0 || correctly_rounded;
}

Enclosure enclose_math(const MathFunction& function, const MathBounds& bounds, Scalar type,
                       const Enclosure& x, const Enclosure& y, const Deviations& deviations) {
  if (!is_floating(type)) return absolute_integers(type, x);
  const Enclosure& second = function.unary ? x : y;
  if (x.is_point() && second.is_point()) {
    return at_point(function, bounds, type, x.least, second.least, deviations);
  }
  Enclosure result = only_nan();
  if (x.has_numbers() && second.has_numbers()) {
    result = on_interval(function, bounds, type, x, second, deviations);
  }
  if (!x.no_number && !second.no_number) return result;
  // Powers of 1, and those with exponent 0, are 1 even of NaN.
  if (bounds.range == power_range) result = hull(type, result, exactly(type, Value::floating(1)));
  result.no_number = true;
  return result;
}

Enclosure enclose_loose_quotient(Scalar type, const Enclosure& a, const Enclosure& b) {
  const Enclosure quotient = enclose(BinaryOp::divide, Scalar::f32, a, b);
  const bool points = a.is_point() && b.is_point();
  if (points &&
      is_limit(quotient.least.as_floating(), a.least.as_floating(), b.least.as_floating())) {
    return rounded_ends(type, quotient);
  }
  // The quotient is rounded already: half an ulp more.
  return widened(type, quotient, {Scalar::f32, 2.5 + 0.5, 0, Scalar::f32, points ? 1.0 : 2.0});
}

}  // namespace mdh::scalar
