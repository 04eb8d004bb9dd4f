#include "mdh/scalar/enclosure/enclosing_mathematics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mdh/scalar/enclosure/enclosing_operations.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::enclosing_mathematics_test {
namespace {

constexpr Scalar f16 = Scalar::f16, f32 = Scalar::f32, f64 = Scalar::f64;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr Deviations host, opencl = {.mathematics = MathLibrary::opencl},
                           loose = {.mathematics = MathLibrary::opencl, .loose_division = true};

Enclosure floats(double least, double greatest, bool no_number = false) {
  return {Value::floating(least), Value::floating(greatest), no_number};
}
Enclosure number(double v) { return floats(v, v); }

Enclosure enclosed(const char* name, Scalar type, const Enclosure& x, const Enclosure& y,
                   const Deviations& deviations = {}) {
  return enclose_math(*find_math(name), math_bounds(name), type, x, y, deviations);
}
Enclosure enclosed(const char* name, Scalar type, const Enclosure& x,
                   const Deviations& deviations = {}) {
  return enclosed(name, type, x, x, deviations);
}

double width(const Enclosure& e) { return e.greatest.as_floating() - e.least.as_floating(); }

TEST(EnclosingMathematics, every_function_has_bounds) {
  for (const std::string& name : math_names()) EXPECT_EQ(math_bounds(name).name, name);
  EXPECT_EQ(diagnostic_of([] { math_bounds("gamma"); }).kind, DiagnosticKind::internal);
}

TEST(EnclosingMathematics, exact_functions_give_points) {
  for (const Deviations& d : {host, opencl, loose}) {
    EXPECT_EQ(enclosed("abs", f32, number(-2.5), d), number(2.5));
    EXPECT_EQ(enclosed("floor", f32, number(-2.5), d), number(-3));
    EXPECT_EQ(enclosed("ceil", f64, number(2.5), d), number(3));
    EXPECT_EQ(enclosed("sqrt", f64, number(2), d), number(std::sqrt(2.0)));
  }
  EXPECT_EQ(enclosed("sqrt", f32, number(2), host), number(std::sqrt(2.0f)));
  EXPECT_EQ(enclosed("sqrt", f32, number(2), opencl), number(std::sqrt(2.0f)));
  EXPECT_FALSE(enclosed("sqrt", f32, number(2), loose).is_point());
}

/// The bounds of the standard, which are not to be exceeded by more than the interpreter's own
/// error: a tenth of an ulp is enough room for it in f32.
TEST(EnclosingMathematics, points_are_as_wide_as_the_bounds) {
  Random random(7);
  for (int n = 0; n < 2000; ++n) {
    const double x = static_cast<float>(1 + static_cast<double>(random.next() % 1000000) / 1e6);
    for (const auto& [name, ulps] :
         {std::pair{"exp", 3.0}, {"log", 3.0}, {"sin", 4.0}, {"tan", 5.0}, {"tanh", 5.0}}) {
      const double v = find_math(name)->unary(x);
      const double unit = std::ldexp(1.0, std::ilogb(v) - 23);
      const Enclosure e = enclosed(name, f32, number(x), opencl);
      EXPECT_LE(e.least.as_floating(), v);
      EXPECT_GE(e.greatest.as_floating(), v);
      // Ends are numbers of f32, the nearest ones to the bound: half an ulp more.
      EXPECT_LE(width(e), (2 * ulps + 1.1) * unit) << name << " of " << x;
      EXPECT_GE(width(e), (2 * ulps - 1.1) * unit) << name << " of " << x;
    }
  }
}

/// C computes in double and rounds: nearly all results are the only ones possible.
TEST(EnclosingMathematics, host_rounds_nearly_always_to_the_same_f32) {
  Random random(8);
  int points = 0, points_of_f16 = 0;
  for (int n = 0; n < 1000; ++n) {
    const double x = static_cast<float>(static_cast<double>(random.next() % 1000000) / 1e5);
    points += enclosed("sin", f32, number(x)).is_point() ? 1 : 0;
    points_of_f16 += enclosed("exp", f16, number(from_floating(f16, x).as_floating())).is_point();
    const Enclosure wide = enclosed("sin", f64, number(x));
    EXPECT_FALSE(wide.is_point());
    EXPECT_LE(width(wide), 0x1p-53 * 8 * std::fabs(std::sin(x)));
  }
  EXPECT_GE(points, 995);
  EXPECT_GE(points_of_f16, 995);
}

TEST(EnclosingMathematics, zeros_and_infinities_are_exact) {
  for (const Deviations& d : {host, opencl}) {
    EXPECT_EQ(enclosed("sin", f32, number(-0.0), d), number(-0.0));
    EXPECT_EQ(enclosed("log", f32, number(0), d), number(-inf));
    EXPECT_EQ(enclosed("exp", f32, number(-inf), d), number(0));
    EXPECT_EQ(enclosed("exp", f64, number(inf), d), number(inf));
    EXPECT_EQ(enclosed("pow", f64, number(0), number(-1), d), number(inf));
    EXPECT_EQ(enclosed("atan2", f64, number(0), number(1), d), number(0));
  }
}

TEST(EnclosingMathematics, what_nearly_overflows_may_or_may_not) {
  const Enclosure e = enclosed("exp", f64, number(709.9), host);
  EXPECT_EQ(e.greatest, Value::floating(inf));
  EXPECT_TRUE(std::isfinite(e.least.as_floating()));
  EXPECT_GT(e.least.as_floating(), 1e308);
  EXPECT_EQ(enclosed("exp", f32, number(100), opencl), number(inf));
}

TEST(EnclosingMathematics, subnormal_results_are_off_by_units) {
  const Enclosure e = enclosed("exp", f32, number(-103), opencl);
  EXPECT_EQ(e.least, Value::floating(0));
  EXPECT_GE(e.greatest.as_floating(), std::exp(-103.0) + 2 * 0x1p-149);
  EXPECT_LE(e.greatest.as_floating(), std::exp(-103.0) + 4 * 0x1p-149);
}

TEST(EnclosingMathematics, what_vanishes_is_off_by_the_smallest_numbers) {
  EXPECT_LE(enclosed("exp", f32, number(-20000)).greatest.as_floating(), 0x1p-145);
  EXPECT_LE(enclosed("exp", f64, number(-20000)).greatest.as_floating(), 0x1p-1070);
}

TEST(EnclosingMathematics, outside_of_the_domain_is_nan) {
  EXPECT_EQ(enclosed("sqrt", f64, number(-1)), only_nan());
  EXPECT_EQ(enclosed("log", f64, floats(-2, -1)), only_nan());
  EXPECT_EQ(enclosed("sqrt", f64, floats(-1, 4)), floats(-0.0, 2, true));
  EXPECT_EQ(enclosed("sqrt", f64, floats(0, 4)), floats(0, 2));
  EXPECT_EQ(enclosed("sin", f64, number(inf)), only_nan());
  EXPECT_TRUE(enclosed("sin", f64, floats(0, inf)).no_number);
  EXPECT_TRUE(enclosed("tan", f64, floats(-inf, 0)).no_number);
  EXPECT_EQ(enclosed("exp", f64, only_nan()), only_nan());
  EXPECT_TRUE(enclosed("exp", f64, floats(1, 2, true)).no_number);
}

TEST(EnclosingMathematics, powers_of_nan_may_be_one) {
  EXPECT_TRUE(contains(f64, enclosed("pow", f64, only_nan(), number(0)), Value::floating(1)));
  EXPECT_TRUE(contains(f64, enclosed("pow", f64, number(1), only_nan()), Value::floating(1)));
  EXPECT_EQ(enclosed("atan2", f64, only_nan(), number(1)), only_nan());
}

TEST(EnclosingMathematics, waves_turn_inside_of_intervals) {
  EXPECT_GE(enclosed("sin", f64, floats(1.5, 1.6)).greatest.as_floating(), 1);
  EXPECT_LE(enclosed("cos", f64, floats(3.1, 3.2)).least.as_floating(), -1);
  EXPECT_LE(width(enclosed("sin", f64, floats(0, 100))), 2 + 1e-14);
  // Where it does not turn, the ends are enough.
  EXPECT_LE(width(enclosed("sin", f64, floats(1, 1.1))), std::sin(1.1) - std::sin(1.0) + 1e-14);
  EXPECT_LE(width(enclosed("cos", f64, floats(2, 2.1))), std::cos(2.0) - std::cos(2.1) + 1e-14);
}

TEST(EnclosingMathematics, tangent_has_poles) {
  EXPECT_EQ(enclosed("tan", f64, floats(1.5, 1.6)), floats(-inf, inf));
  EXPECT_LE(width(enclosed("tan", f64, floats(1, 1.1))), std::tan(1.1) - std::tan(1.0) + 1e-14);
}

TEST(EnclosingMathematics, powers_of_negative_numbers_need_whole_exponents) {
  const auto contains_all = [](const Enclosure& x, double exponent) {
    const Enclosure e = enclosed("pow", f64, x, number(exponent));
    for (double v = x.least.as_floating(); v <= x.greatest.as_floating(); v += 0.125) {
      EXPECT_TRUE(contains(f64, e, Value::floating(std::pow(v, exponent)))) << v << " " << exponent;
    }
    return e;
  };
  EXPECT_LE(width(contains_all(floats(-3, 2), 2)), 9 + 1e-13);
  EXPECT_LE(width(contains_all(floats(-3, 2), 3)), 35 + 1e-13);
  EXPECT_LE(width(contains_all(floats(-3, -2), 2)), 5 + 1e-13);
  EXPECT_LE(width(contains_all(floats(-3, 2), 0)), 1e-14);
  EXPECT_EQ(contains_all(floats(-3, 2), -1), floats(-inf, inf));
  EXPECT_EQ(contains_all(floats(-3, 2), 0.5), floats(-inf, inf, true));
}

TEST(EnclosingMathematics, angles_jump_on_the_left) {
  EXPECT_GE(width(enclosed("atan2", f64, floats(-1, 1), floats(-2, -1))), 6.28);
  EXPECT_LE(width(enclosed("atan2", f64, floats(1, 2), floats(-2, -1))), 0.7);
  EXPECT_LE(width(enclosed("atan2", f64, floats(-1, 1), floats(1, 2))), 1.5708);
  EXPECT_GE(width(enclosed("atan2", f64, floats(0, 1), floats(0, 1))), 6.28);
}

TEST(EnclosingMathematics, magnitude_of_integers) {
  const auto absolute = [](int64_t least, int64_t greatest) {
    return enclosed("abs", Scalar::i8, {Value::integer(least), Value::integer(greatest)});
  };
  EXPECT_EQ(absolute(-5, 3), (Enclosure{Value::integer(0), Value::integer(5)}));
  EXPECT_EQ(absolute(-5, -3), (Enclosure{Value::integer(3), Value::integer(5)}));
  EXPECT_EQ(absolute(2, 3), (Enclosure{Value::integer(2), Value::integer(3)}));
  EXPECT_EQ(absolute(-128, -128), (Enclosure{Value::integer(-128), Value::integer(-128)}));
  EXPECT_EQ(absolute(-128, 3), everything(Scalar::i8));
}

TEST(EnclosingMathematics, loose_quotients_are_two_and_a_half_ulps_wide) {
  const Enclosure e = enclose_loose_quotient(f32, number(1), number(3));
  EXPECT_EQ(e, floats(1.0f / 3 - 3 * 0x1p-25f, 1.0f / 3 + 3 * 0x1p-25f));
  EXPECT_EQ(enclose_loose_quotient(f32, number(1), number(0)), number(inf));
  EXPECT_EQ(enclose_loose_quotient(f32, number(0), number(-3)), number(-0.0));
  EXPECT_EQ(enclose_loose_quotient(f32, number(0), number(0)), only_nan());
  // 16-bit formats round the quotient of f32: here it is far from the middle of two of them.
  EXPECT_EQ(enclose_loose_quotient(f16, number(1), number(3)), number(0.333251953125));
}

/// Random intervals: what the interpreter gives inside of them lies inside of the result.
TEST(EnclosingMathematics, values_of_intervals_are_inside) {
  Random random(9);
  const auto any = [&] { return static_cast<double>(random.between(-4000, 4000)) / 500; };
  for (const std::string& name : math_names()) {
    const MathFunction& f = *find_math(name);
    for (int n = 0; n < 4000; ++n) {
      const double length = std::ldexp(1.0, static_cast<int>(random.between(-20, 3)));
      const double x = any(), y = any();
      const Enclosure xs = floats(x, x + length), ys = floats(y, y + length / 2);
      const Enclosure e = enclosed(name.c_str(), f64, xs, f.unary ? xs : ys);
      for (int part = 0; part <= 8; ++part) {
        const double a = x + length * part / 8;
        const double b = y + length / 2 * static_cast<double>(random.between(0, 8)) / 8;
        const Value v = Value::floating(f.unary ? f.unary(a) : f.binary(a, b));
        ASSERT_TRUE(contains(f64, e, v)) << name << " of " << a << " and " << b << ": "
                                         << v.as_floating() << " not in " << to_string(f64, e);
      }
    }
  }
}

}  // namespace
}  // namespace mdh::scalar::enclosing_mathematics_test
