#include "mdh/scalar/elaborate.h"

#include <gtest/gtest.h>

#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::elaborate_test {
namespace {

/// One variable of some types: x is f32, d is f64, n is i32, i is i64, b is u8, w is u64, c is
/// bool.
Expr elaborated(const std::string& text, const Type& expected = Type()) {
  Scope scope;
  scope.declare("x", Scalar::f32, "access", {});
  scope.declare("d", Scalar::f64, "access", {});
  scope.declare("n", Scalar::i32, "access", {});
  scope.declare("i", Scalar::i64, "dimension", {});
  scope.declare("b", Scalar::u8, "access", {});
  scope.declare("w", Scalar::u64, "access", {});
  scope.declare("c", Scalar::boolean, "access", {});
  return elaborate(resolve(parse_expression(text, "t"), scope), expected);
}

Diagnostic error_in(const std::string& text, const Type& expected = Type()) {
  return diagnostic_of([&] { elaborated(text, expected); });
}

/// The types of the literals, from left to right.
std::string literal_types(const Expr& e) {
  std::string types = e.as<Literal>() ? to_string(e.type()) + " " : "";
  for_each_child(e, [&](const Expr& child) { types += literal_types(child); });
  return types;
}

std::string literal_types(const std::string& text, const Type& expected = Type()) {
  return literal_types(elaborated(text, expected));
}

TEST(Elaborate, literal_takes_the_type_of_its_partner) {
  EXPECT_EQ(literal_types("x + 1"), "f32 ");
  EXPECT_EQ(literal_types("2.5 * d"), "f64 ");
  EXPECT_EQ(literal_types("n < 3"), "i32 ");
  EXPECT_EQ(literal_types("min(b, 7)"), "u8 ");
  EXPECT_EQ(literal_types("if c then 1 else x"), "f32 ");
}

TEST(Elaborate, literal_takes_the_type_of_a_partner_further_away) {
  EXPECT_EQ(literal_types("1 + 2 * n"), "i32 i32 ");
  EXPECT_EQ(literal_types("(1 + 2) * x"), "f32 f32 ");
  EXPECT_EQ(literal_types("n - (if c then 1 else 2)"), "i32 i32 ");
}

TEST(Elaborate, literal_without_partner_takes_what_is_expected) {
  EXPECT_EQ(literal_types("1", Scalar::u16), "u16 ");
  EXPECT_EQ(literal_types("1.0 / 3.0", Scalar::f32), "f32 f32 ");
  EXPECT_EQ(literal_types("-1", Scalar::i8), "i8 ");
  EXPECT_EQ(literal_types("if c then 1 else 2", Scalar::f64), "f64 f64 ");
}

TEST(Elaborate, literal_without_any_hint_is_i64_or_f64) {
  EXPECT_EQ(literal_types("1"), "i64 ");
  EXPECT_EQ(literal_types("1.5"), "f64 ");
  EXPECT_EQ(literal_types("1 + 1.5"), "f64 f64 ");
}

TEST(Elaborate, comparison_keeps_the_expected_bool_from_its_operands) {
  EXPECT_EQ(literal_types("n == 1 && x < 2", Scalar::boolean), "i32 f32 ");
}

TEST(Elaborate, values_are_rounded_to_the_type) {
  EXPECT_TRUE(elaborated("0.1", Scalar::f32) ==
              literal(Scalar::f32, Value::floating(0x1.99999ap-4)));
  EXPECT_TRUE(elaborated("3", Scalar::f32) == literal(Scalar::f32, Value::floating(3)));
  EXPECT_TRUE(elaborated("-128", Scalar::i8) == literal(Scalar::i8, Value::integer(-128)));
}

TEST(Elaborate, is_idempotent) {
  for (const char* text : {"x * 2 + 1", "if n < 3 then d else 0.1", "f32(i % 7) - 1", "-i"}) {
    const Expr once = elaborated(text);
    EXPECT_TRUE(elaborate(once, Type()) == once) << text;
  }
}

TEST(Elaborate, integer_literal_must_be_exact) {
  EXPECT_EQ(error_in("256", Scalar::u8).code, "E121");
  EXPECT_EQ(error_in("256", Scalar::u8).message, "the literal 256 has no exact value of type u8");
  EXPECT_EQ(error_in("-1", Scalar::u8).code, "E121");
  EXPECT_EQ(error_in("128", Scalar::i8).code, "E121");
  EXPECT_EQ(error_in("16777217", Scalar::f32).code, "E121") << "2^24 + 1";
  EXPECT_EQ(error_in("16777217", Scalar::f32).hint, "write it with a decimal point");
  EXPECT_EQ(error_in("9007199254740993", Scalar::f64).code, "E121") << "2^53 + 1";
  EXPECT_TRUE(elaborated("16777216", Scalar::f32) == literal(Scalar::f32, Value::floating(0x1p24)));
}

TEST(Elaborate, literals_above_63_bits_are_numbers_of_u64_only) {
  EXPECT_TRUE(elaborated("18446744073709551615", Scalar::u64) ==
              literal(Scalar::u64, Value{~uint64_t{0}}));
  EXPECT_EQ(literal_types("w + 18446744073709551615"), "u64 ");
  EXPECT_EQ(error_in("18446744073709551615", Scalar::i64).message,
            "'18446744073709551615' has type u64, but i64 is needed here");
  EXPECT_EQ(error_in("d * 18446744073709551615").code, "E120");
}

TEST(Elaborate, negative_literal_is_no_u64) {
  EXPECT_EQ(error_in("-1", Scalar::u64).message, "the literal -1 has no exact value of type u64");
  EXPECT_EQ(error_in("w + -1").code, "E121");
}

TEST(Elaborate, decimal_literal_needs_a_float) {
  EXPECT_EQ(error_in("n + 1.5").message, "the literal 1.5 has no exact value of type i32");
  EXPECT_EQ(error_in("1.0", Scalar::i64).hint, "use an integer in range, or cast");
  EXPECT_EQ(error_in("c && 1").message, "'1' has type i64, but bool is needed here");
}

TEST(Elaborate, decimal_literal_must_be_finite_in_its_type) {
  EXPECT_EQ(error_in("1e39", Scalar::f32).message,
            "the literal 1e+39 has no exact value of type f32");
  EXPECT_EQ(literal_types("1e39", Scalar::f64), "f64 ");
}

TEST(Elaborate, nothing_else_converts_by_itself) {
  const Diagnostic d = error_in("x +\n d");
  EXPECT_EQ(d.code, "E120");
  EXPECT_EQ(d.message, "'d' has type f64, but f32 is needed here");
  EXPECT_EQ(d.hint, "convert it explicitly: f32(d)");
  EXPECT_EQ(to_string(d.where), "t:2:2");
  EXPECT_EQ(error_in("i", Scalar::i32).message, "'i' has type i64, but i32 is needed here");
  EXPECT_EQ(error_in("if n then x else x").message, "'n' has type i32, but bool is needed here");
  EXPECT_EQ(error_in("!i").message, "'i' has type i64, but bool is needed here");
  EXPECT_EQ(error_in("x < 1.0", Scalar::f32).message,
            "'x < 1.0' has type bool, but f32 is needed here");
}

TEST(Elaborate, casts_convert_anything_to_anything) {
  EXPECT_TRUE(elaborated("f32(i) + x").type() == Type(Scalar::f32));
  EXPECT_TRUE(elaborated("i32(c)").type() == Type(Scalar::i32));
  EXPECT_TRUE(elaborated("bool(x)", Scalar::boolean).type() == Type(Scalar::boolean));
}

TEST(Elaborate, cast_of_a_literal_that_fits_is_a_literal) {
  EXPECT_TRUE(elaborated("f32(0.1)") == literal(Scalar::f32, Value::floating(0x1.99999ap-4)));
  EXPECT_TRUE(elaborated("u8(200)") == literal(Scalar::u8, Value::integer(200)));
  EXPECT_TRUE(elaborated("f64(f32(0.1))") ==
              cast(Scalar::f64, literal(Scalar::f32, Value::floating(0x1.99999ap-4))))
      << "not the f64 nearest to 0.1";
}

TEST(Elaborate, cast_of_a_literal_that_does_not_fit_converts) {
  EXPECT_TRUE(elaborated("u8(300)") == cast(Scalar::u8, index_literal(300)));
  EXPECT_TRUE(elaborated("i32(2.5)") ==
              cast(Scalar::i32, literal(Scalar::f64, Value::floating(2.5))));
  EXPECT_TRUE(elaborated("bool(1)") == cast(Scalar::boolean, index_literal(1)));
}

TEST(Elaborate, operators_refuse_types_they_have_no_meaning_for) {
  EXPECT_EQ(error_in("x & x").code, "E122");
  EXPECT_EQ(error_in("x & x").message, "'&' needs integers or bool, got f32");
  EXPECT_EQ(error_in("d ^ 1.0").message, "'^' needs integers or bool, got f64");
  EXPECT_EQ(error_in("c + c").message, "'+' needs numbers, got bool");
  EXPECT_EQ(error_in("max(c, c)").message, "'max' needs numbers, got bool");
  EXPECT_EQ(error_in("x % x").message, "'%' needs integers, got f32");
  EXPECT_EQ(error_in("-c").message, "'-' needs a number, got bool");
}

TEST(Elaborate, operators_accept_the_types_they_have_a_meaning_for) {
  for (const char* text : {"c | c", "n ^ n", "b & 3", "i % 2", "min(x, 0.0)", "c == c", "-n"}) {
    EXPECT_EQ(error_in(text).message, "(no error was raised)") << text;
  }
}

}  // namespace
}  // namespace mdh::scalar::elaborate_test
