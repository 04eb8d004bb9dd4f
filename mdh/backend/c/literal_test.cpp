#include "mdh/backend/c/literal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mdh::backend::literal_test {
namespace {

using scalar::Scalar;
using scalar::Value;

TEST(CLiteral, integers_have_the_suffix_of_their_type) {
  EXPECT_EQ(c_literal(Scalar::i8, Value::integer(5)), "5");
  EXPECT_EQ(c_literal(Scalar::i16, Value::integer(300)), "300");
  EXPECT_EQ(c_literal(Scalar::i32, Value::integer(7)), "7");
  EXPECT_EQ(c_literal(Scalar::i64, Value::integer(7)), "7L");
  EXPECT_EQ(c_literal(Scalar::u8, Value::integer(255)), "255");
  EXPECT_EQ(c_literal(Scalar::u16, Value::integer(65535)), "65535");
  EXPECT_EQ(c_literal(Scalar::u32, Value::integer(4294967295)), "4294967295U");
  EXPECT_EQ(c_literal(Scalar::u64, Value{~uint64_t{0}}), "18446744073709551615UL");
}

TEST(CLiteral, negative_integers_are_in_parentheses) {
  EXPECT_EQ(c_literal(Scalar::i8, Value::integer(-128)), "(-128)");
  EXPECT_EQ(c_literal(Scalar::i32, Value::integer(-7)), "(-7)");
  EXPECT_EQ(c_literal(Scalar::i64, Value::integer(-7)), "(-7L)");
}

TEST(CLiteral, the_least_integers_are_differences) {
  // C has no negative literals, and the magnitude does not fit the type.
  EXPECT_EQ(c_literal(Scalar::i32, Value::integer(std::numeric_limits<int32_t>::min())),
            "(-2147483647 - 1)");
  EXPECT_EQ(c_literal(Scalar::i64, Value::integer(std::numeric_limits<int64_t>::min())),
            "(-9223372036854775807L - 1)");
}

TEST(CLiteral, bools_are_numbers) {
  EXPECT_EQ(c_literal(Scalar::boolean, Value::integer(1)), "1");
  EXPECT_EQ(c_literal(Scalar::boolean, Value::integer(0)), "0");
}

TEST(CLiteral, floats_show_a_point_or_an_exponent_and_their_type) {
  EXPECT_EQ(c_literal(Scalar::f64, Value::floating(1)), "1.0");
  EXPECT_EQ(c_literal(Scalar::f32, Value::floating(1)), "1.0f");
  EXPECT_EQ(c_literal(Scalar::f64, Value::floating(0.1)), "0.1");
  EXPECT_EQ(c_literal(Scalar::f32, Value::floating(0.1F)), "0.1f");
  EXPECT_EQ(c_literal(Scalar::f64, Value::floating(1e300)), "1e+300");
  EXPECT_EQ(c_literal(Scalar::f32, Value::floating(-2.5)), "(-2.5f)");
  EXPECT_EQ(c_literal(Scalar::f64, Value::floating(-0.0)), "(-0.0)");
}

TEST(CLiteral, floats_without_digits_are_quotients) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(c_literal(Scalar::f64, Value::floating(infinity)), "(1.0 / 0.0)");
  EXPECT_EQ(c_literal(Scalar::f32, Value::floating(-infinity)), "(-1.0f / 0.0f)");
  EXPECT_EQ(c_literal(Scalar::f32, Value::floating(std::nan(""))), "(0.0f / 0.0f)");
}

}  // namespace
}  // namespace mdh::backend::literal_test
