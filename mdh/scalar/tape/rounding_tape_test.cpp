// Numbers with bounds of their rounding errors: the bounds hold, are 0 where nothing rounds, and
// what rounding would decide is not decided.
#include "mdh/scalar/tape/rounding_tape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/random.h"

namespace mdh::scalar::rounding_tape_test {
namespace {

Function function_of(const std::string& text, size_t parameters, Scalar type) {
  Scope scope;
  Function f{"f", {}, {}, {}};
  for (size_t n = 0; n < parameters; ++n) {
    const std::string name(1, static_cast<char>('a' + n));
    f.parameters.push_back({scope.declare(name, type, "access", {}), type});
  }
  f.results.push_back({{"r", 99}, elaborate(resolve(parse_expression(text), scope), Type()), {}});
  return f;
}

/// Nothing if rounding decides.
std::optional<RoundedValue> run(const std::string& text, const std::vector<RoundedValue>& arguments,
                                Scalar type = Scalar::f32) {
  RoundingTape tape(function_of(text, arguments.size(), type));
  RoundedValue result;
  if (!tape.run(arguments, {&result, 1}).decided) return std::nullopt;
  return result;
}

RoundedValue number(double value, double error = 0) { return {Value::floating(value), error}; }

TEST(RoundingTape, whole_numbers_and_fractions_of_two_have_no_error) {
  for (const Scalar type : {Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64}) {
    const auto result = run("a * b + c / d - abs(a) + min(b, c)",
                            {number(3), number(-0.5), number(7), number(4)}, type);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->value.as_floating(), -1.5 + 1.75 - 3 - 0.5);
    EXPECT_EQ(result->error, 0);
  }
}

TEST(RoundingTape, error_is_that_of_what_cancels_out) {
  const auto result = run("a + b - a", {number(1e8), number(1)});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->value.as_floating(), 0) << "f32 has no room for the 1";
  EXPECT_EQ(result->error, 1);
}

TEST(RoundingTape, quotient_by_what_may_be_zero_is_unknown) {
  EXPECT_TRUE(std::isinf(run("a / b", {number(1), number(0.5, 0.5)})->error));
  EXPECT_TRUE(std::isinf(run("a / b", {number(1), number(0)})->error));
  // 1 / 0.75 to 1 / 1.25 are at most 1 / 3 away from 1.
  EXPECT_NEAR(run("a / b", {number(1), number(1, 0.25)})->error, 1.0 / 3, 1e-12);
}

TEST(RoundingTape, overflow_and_what_is_not_a_number_are_unknown) {
  EXPECT_TRUE(std::isinf(run("a * a", {number(1e30)})->error));
  EXPECT_TRUE(std::isinf(run("sqrt(a)", {number(-1)})->error));
  EXPECT_TRUE(std::isinf(run("a * a - a * a", {number(1e30)})->error));
}

TEST(RoundingTape, product_that_underflows_loses_all_of_it) {
  const auto narrow = run("a * a * b", {number(std::ldexp(1, -100)), number(std::ldexp(1, 120))});
  EXPECT_EQ(narrow->value.as_floating(), 0);
  EXPECT_GE(narrow->error, std::ldexp(1, -80));
  const auto wide =
      run("a * a * b", {number(std::ldexp(1, -1000)), number(std::ldexp(1, 1000))}, Scalar::f64);
  EXPECT_GE(wide->error, std::ldexp(1, -1000));
}

TEST(RoundingTape, what_rounding_decides_is_not_decided) {
  EXPECT_FALSE(run("if a < b then 1.0 else 2.0", {number(1, 0.1), number(1.05)}));
  EXPECT_FALSE(run("if a == b then 1.0 else 2.0", {number(1, 0.1), number(1)}));
  EXPECT_TRUE(run("if a < b then 1.0 else 2.0", {number(1, 0.1), number(1.2)}));
  EXPECT_TRUE(run("if a == b then 1.0 else 2.0", {number(1), number(1)})) << "a tie, but exact";
  EXPECT_FALSE(run("f32(i32(a))", {number(2.99, 0.02)}));
  EXPECT_EQ(run("f32(i32(a))", {number(2.5, 0.02)})->error, 0);
  EXPECT_FALSE(run("loop (k = 0, s = a) while (s > 0.5) { s = s - 1.0, k = k + 1 } yield s",
                   {number(1.5, 0.1)}));
}

TEST(RoundingTape, branch_that_is_not_taken_does_not_count) {
  EXPECT_EQ(run("if a > 0 then a else a / 3", {number(2)})->error, 0);
}

TEST(RoundingTape, long_loops_end_undecided) {
  RoundingTape tape(
      function_of("loop (k = 0) while (k < 1000000) { k = k + 1 } yield k", 1, Scalar::f32));
  const RoundedValue argument = number(1);
  RoundedValue result;
  const auto outcome = tape.run({&argument, 1}, {&result, 1}, 1000);
  EXPECT_FALSE(outcome.decided);
  EXPECT_GE(outcome.steps, 1000);
  EXPECT_LT(outcome.steps, 1100);
}

/// Expressions whose values stay in the range of every type.
std::string expression(Random& random, int depth) {
  if (depth == 0) return std::string(1, static_cast<char>('a' + random.between(0, 2)));
  const std::string left = expression(random, depth - 1), right = expression(random, depth - 1);
  switch (random.between(0, 7)) {
    case 0:
      return "(" + left + " + " + right + ")";
    case 1:
      return "(" + left + " - " + right + ")";
    case 2:
      return "(" + left + " * " + right + ")";
    case 3:
      return "(" + left + " / " + right + ")";
    case 4:
      return "max(" + left + ", " + right + ")";
    case 5:
      return "sin(" + left + ")";
    case 6:
      return "sqrt(abs(" + left + "))";
    default:
      return "(if " + left + " < " + right + " then " + left + " else " + right + ")";
  }
}

TEST(RoundingTape, narrow_value_is_as_near_to_the_wide_one_as_it_says) {
  Random random(3);
  int checked = 0;
  for (int n = 0; n < 3000; ++n) {
    const Scalar type = random.pick<Scalar>({Scalar::f16, Scalar::bf16, Scalar::f32});
    const Function f = function_of(expression(random, 3), 3, type);
    std::vector<RoundedValue> arguments;
    std::vector<Value> plain;
    for (int i = 0; i < 3; ++i) {
      plain.push_back(from_floating(type, static_cast<double>(random.between(-500, 500)) / 70));
      arguments.push_back({plain.back(), 0});
    }
    RoundedValue narrow;
    if (!RoundingTape(f).run(arguments, {&narrow, 1}).decided) continue;
    Value declared, wide;
    Tape(f).run(plain, {&declared, 1});
    EXPECT_EQ(narrow.value, declared);
    Tape(f, Precision::wide).run(plain, {&wide, 1});
    if (!std::isfinite(narrow.error)) continue;
    const double exact = wide.as_floating();
    EXPECT_LE(std::abs(narrow.value.as_floating() - exact),
              1.001 * narrow.error + 1e-13 * (1 + std::abs(exact)));
    checked += narrow.error > 0 ? 1 : 0;
  }
  EXPECT_GT(checked, 1500);
}

}  // namespace
}  // namespace mdh::scalar::rounding_tape_test
