#include "mdh/scalar/algebra.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::algebra_test {
namespace {

using Points = std::vector<int64_t>;

/// A function of x, y (of one type) and the index i.
Function function(const std::string& text, Scalar type) {
  Scope scope;
  Function f{"f", {}, {}};
  for (const char* name : {"x", "y"}) {
    f.parameters.push_back({scope.declare(name, type, "access", {}), type});
  }
  f.parameters.push_back({scope.declare("i", Scalar::i64, "dimension", {}), Scalar::i64});
  f.results.push_back({{"r", 9}, elaborate(resolve(parse_expression(text), scope), type), {}});
  return f;
}

TEST(ScalarAlgebra, f_takes_the_inputs_and_then_the_point) {
  ScalarAlgebra algebra(function("x * 100 + y * 10 + i", Scalar::i64), {"combine", {}, {}});
  const std::vector<Value> inputs = {Value::integer(3), Value::integer(4)};
  const Points point = {5};
  Value result;
  algebra.f(inputs, point, {&result, 1});
  EXPECT_EQ(result.as_integer(), 345);
}

/// (l0, l1), (r0, r1) -> (l0 + r0, l1 * r1)
Function sum_and_product() {
  Function f{"combine", {}, {}, {}};
  std::vector<Expr> operands;
  for (const char* name : {"l0", "l1", "r0", "r1"}) {
    f.parameters.push_back({local(name), Scalar::i64});
    operands.push_back(variable(local(name), Scalar::i64));
  }
  f.results.push_back({local("x0"), binary(BinaryOp::add, operands[0], operands[2]), {}});
  f.results.push_back({local("x1"), binary(BinaryOp::multiply, operands[1], operands[3]), {}});
  return f;
}

TEST(ScalarAlgebra, combination_may_replace_its_left_operand) {
  ScalarAlgebra algebra({"f", {}, {}}, sum_and_product());
  std::vector<Value> left = {Value::integer(2), Value::integer(3)};
  const std::vector<Value> right = {Value::integer(10), Value::integer(20)};
  algebra.combine(left, right, left);
  EXPECT_EQ(left[0].as_integer(), 12);
  EXPECT_EQ(left[1].as_integer(), 60);
}

TEST(ProvenanceAlgebra, f_makes_the_number_of_the_point) {
  ProvenanceAlgebra algebra({2, 3}, 1);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t k = 0; k < 3; ++k) {
      Value v;
      const Points point = {i, k};
      algebra.f({}, point, {&v, 1});
      EXPECT_EQ(algebra.points(v), (Points{3 * i + k}));
    }
  }
}

TEST(ProvenanceAlgebra, points_outside_have_a_number_that_no_result_has) {
  ProvenanceAlgebra algebra({2, 3}, 1);
  for (const std::vector<int64_t>& point : {std::vector<int64_t>{2, 0}, {0, 3}, {-1, 2}, {1, -1}}) {
    std::vector<Value> result(1);
    algebra.f({}, point, result);
    EXPECT_EQ(algebra.points(result[0]), std::vector<int64_t>{ProvenanceAlgebra::beyond});
  }
}

TEST(ProvenanceAlgebra, combination_unites_with_repetitions) {
  ProvenanceAlgebra algebra({10}, 1);
  const auto point = [&](int64_t i) {
    Value v;
    const Points at = {i};
    algebra.f({}, at, {&v, 1});
    return v;
  };
  const auto combined = [&](Value a, Value b) {
    Value v;
    algebra.combine({&a, 1}, {&b, 1}, {&v, 1});
    return v;
  };
  const Value low = combined(point(7), point(2)), high = combined(point(9), point(2));
  EXPECT_EQ(algebra.points(low), (Points{2, 7}));
  EXPECT_EQ(algebra.points(combined(low, high)), (Points{2, 2, 7, 9}));
  EXPECT_EQ(algebra.points(low), (Points{2, 7})) << "operands stay";
}

TEST(ProvenanceAlgebra, combination_may_replace_its_left_operand) {
  ProvenanceAlgebra algebra({10}, 2);
  std::vector<Value> left(2), right(2);
  const Points four = {4}, one = {1};
  algebra.f({}, four, left);
  algebra.f({}, one, right);
  algebra.combine(left, right, left);
  EXPECT_EQ(algebra.points(left[0]), (Points{1, 4}));
  EXPECT_EQ(algebra.points(left[1]), (Points{1, 4}));
}

TEST(ProvenanceAlgebra, many_combinations_keep_their_operands_valid) {
  ProvenanceAlgebra algebra({1000}, 1);
  Value sum;
  Points expected;
  for (int64_t i = 0; i < 1000; ++i) {
    Value v;
    const Points at = {i};
    algebra.f({}, at, {&v, 1});
    if (i == 0) sum = v;
    if (i > 0) algebra.combine({&v, 1}, {&sum, 1}, {&sum, 1});
    expected.push_back(i);
  }
  EXPECT_EQ(algebra.points(sum), expected);
}

TEST(ProvenanceAlgebra, value_that_no_f_made_is_a_bug) {
  const ProvenanceAlgebra algebra({2}, 1);
  EXPECT_EQ(diagnostic_of([&] { algebra.points(Value{0}); }).kind, DiagnosticKind::internal);
}

double value_of(const Function& f, double x, double y, int64_t i) {
  Value result;
  const std::vector<Value> at = {Value::floating(x), Value::floating(y), Value::integer(i)};
  Tape(f).run(at, {&result, 1});
  return result.as_floating();
}

TEST(Magnitude, subtractions_become_additions) {
  EXPECT_EQ(value_of(magnitude(function("x - y", Scalar::f64)), 3, 4, 0), 7);
  EXPECT_EQ(value_of(magnitude(function("x * (1.0 - y)", Scalar::f64)), 3, 4, 0), 15);
}

TEST(Magnitude, signs_of_literals_and_operands_vanish) {
  EXPECT_EQ(value_of(magnitude(function("-2.0 * x + -y", Scalar::f64)), 3, 4, 0), 10);
}

TEST(Magnitude, integers_keep_their_meaning_and_lose_their_sign_as_floats) {
  EXPECT_EQ(value_of(magnitude(function("x * f64(i - 5)", Scalar::f64)), 3, 0, 7), 6);
  EXPECT_EQ(value_of(magnitude(function("x * f64(i - 5)", Scalar::f64)), 3, 0, 1), 12);
}

TEST(Magnitude, is_never_below_the_absolute_value) {
  Random random(6);
  for (const char* text :
       {"x - y", "x * y - 3.0", "-x", "min(x, y)", "max(x, -y)", "if x < y then x * x else y",
        "if x < 0.0 then 100.0 else x", "(x + y) * (x - y) - f64(i - 5)", "x / 3.0 - y"}) {
    const Function f = function(text, Scalar::f64), m = magnitude(f);
    for (int n = 0; n < 200; ++n) {
      const auto x = static_cast<double>(random.between(-50, 50));
      const auto y = static_cast<double>(random.between(-50, 50));
      const int64_t i = random.between(0, 9);
      ASSERT_GE(value_of(m, std::abs(x), std::abs(y), i), std::abs(value_of(f, x, y, i)))
          << text << " at " << x << ", " << y << ", " << i;
    }
  }
}

}  // namespace
}  // namespace mdh::scalar::algebra_test
