#include "mdh/scalar/mathematics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mdh::scalar::mathematics_test {
namespace {

double on_floats(const char* name, Scalar type, std::vector<double> arguments) {
  std::vector<Value> values;
  for (const double a : arguments) values.push_back(Value::floating(a));
  return apply_math(*find_math(name), type, values).as_floating();
}

TEST(Mathematics, is_found_by_name_with_its_number_of_arguments) {
  for (const std::string& name : math_names()) {
    ASSERT_NE(find_math(name), nullptr) << name;
    EXPECT_EQ(find_math(name)->name, name);
    EXPECT_EQ(find_math(name)->arguments, name == "pow" || name == "atan2" ? 2 : 1) << name;
    EXPECT_EQ(find_math(name)->for_integers, name == "abs") << name;
  }
  EXPECT_EQ(find_math("sqr"), nullptr);
  EXPECT_EQ(find_math("min"), nullptr) << "an operator, not mathematics";
}

TEST(Mathematics, computes_known_values) {
  EXPECT_EQ(on_floats("sqrt", Scalar::f64, {2.25}), 1.5);
  EXPECT_EQ(on_floats("log2", Scalar::f64, {8}), 3);
  EXPECT_EQ(on_floats("log10", Scalar::f64, {1000}), 3);
  EXPECT_EQ(on_floats("log", Scalar::f64, {1}), 0);
  EXPECT_EQ(on_floats("exp", Scalar::f64, {0}), 1);
  EXPECT_EQ(on_floats("exp2", Scalar::f64, {-2}), 0.25);
  EXPECT_EQ(on_floats("floor", Scalar::f64, {-1.5}), -2);
  EXPECT_EQ(on_floats("ceil", Scalar::f64, {-1.5}), -1);
  EXPECT_EQ(on_floats("abs", Scalar::f64, {-1.5}), 1.5);
  EXPECT_EQ(on_floats("pow", Scalar::f64, {2, 10}), 1024) << "the base comes first";
  EXPECT_NEAR(on_floats("atan2", Scalar::f64, {1, 0}), 1.5707963267948966, 1e-15) << "y first";
  EXPECT_NEAR(on_floats("sin", Scalar::f64, {1}), 0.8414709848078965, 1e-15);
  EXPECT_NEAR(on_floats("cos", Scalar::f64, {1}), 0.5403023058681398, 1e-15);
  EXPECT_NEAR(on_floats("tan", Scalar::f64, {1}), 1.5574077246549023, 1e-15);
  EXPECT_NEAR(on_floats("tanh", Scalar::f64, {1}), 0.7615941559557649, 1e-15);
  EXPECT_TRUE(std::isnan(on_floats("sqrt", Scalar::f64, {-1})));
}

TEST(Mathematics, is_rounded_to_the_type) {
  EXPECT_EQ(on_floats("sqrt", Scalar::f32, {2}), static_cast<double>(1.41421356F));
  EXPECT_EQ(on_floats("sqrt", Scalar::f16, {2}), 1.4140625);   // 1 + 424 / 1024
  EXPECT_EQ(on_floats("sqrt", Scalar::bf16, {2}), 1.4140625);  // 1 + 53 / 128
  EXPECT_EQ(on_floats("exp", Scalar::f32, {100}), std::numeric_limits<double>::infinity());
}

TEST(Mathematics, abs_of_integers_wraps_around_like_all_arithmetic) {
  const auto abs = [](Scalar type, int64_t i) {
    const Value value = Value::integer(i);
    return apply_math(*find_math("abs"), type, {&value, 1}).as_integer();
  };
  EXPECT_EQ(abs(Scalar::i32, -7), 7);
  EXPECT_EQ(abs(Scalar::i32, 7), 7);
  EXPECT_EQ(abs(Scalar::i8, -128), -128);
  EXPECT_EQ(abs(Scalar::i64, std::numeric_limits<int64_t>::min()),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(abs(Scalar::u64, -1), -1) << "2^64 - 1 has no sign";
}

}  // namespace
}  // namespace mdh::scalar::mathematics_test
