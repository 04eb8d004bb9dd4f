#include "mdh/scalar/simplify.h"

#include <gtest/gtest.h>

#include <limits>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/resolve.h"
#include "mdh/scalar/tape/tape.h"
#include "mdh/support/random.h"

namespace mdh::scalar::simplify_test {
namespace {

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = {
      {{"x", 0}, Scalar::i64}, {{"y", 1}, Scalar::i64}, {{"z", 2}, Scalar::i64}};
  return all;
}

Expr index(const std::string& text) {
  Scope scope;
  for (const Parameter& p : parameters()) scope.declare(p.symbol.name, p.type, "dimension", {});
  return elaborate(resolve(parse_expression(text, "t"), scope), Scalar::i64);
}

std::string simplified(const std::string& text) { return print(simplify(index(text))); }

int64_t value_of(const Expr& e, const std::vector<Value>& arguments) {
  Value result;
  Tape({"e", parameters(), {{{"r", 3}, e, {}}}}).run(arguments, {&result, 1});
  return result.as_integer();
}

int nodes(const Expr& e) {
  int count = 1;
  for_each_child(e, [&](const Expr& child) { count += nodes(child); });
  return count;
}

/// Divisors are numbers other than 0; sizes are such that nothing overflows.
Expr random_index(Random& random, int depth) {
  if (depth == 0 || random.chance(20)) {
    const Parameter& p = random.pick(parameters());
    return random.chance(50) ? index_literal(random.between(-3, 3)) : variable(p.symbol, p.type);
  }
  const std::vector<BinaryOp> ops = {BinaryOp::add,     BinaryOp::subtract,  BinaryOp::multiply,
                                     BinaryOp::divide,  BinaryOp::remainder, BinaryOp::minimum,
                                     BinaryOp::maximum, BinaryOp::add,       BinaryOp::subtract};
  const std::vector<int64_t> divisors = {-3, -1, 1, 2, 5};
  const BinaryOp op = random.pick(ops);
  Expr left = random_index(random, depth - 1);
  if (op == BinaryOp::divide || op == BinaryOp::remainder) {
    return binary(op, left, index_literal(random.pick(divisors)));
  }
  if (random.chance(10)) return unary(UnaryOp::negate, left);
  if (random.chance(10)) {
    return select(binary(BinaryOp::less, left, index_literal(0)), left,
                  random_index(random, depth - 1));
  }
  return binary(op, left, random.chance(20) ? left : random_index(random, depth - 1));
}

TEST(Simplify, never_changes_the_value) {
  Random random(5);
  int smaller = 0;
  for (int n = 0; n < 2000; ++n) {
    const Expr e = random_index(random, 4);
    const Expr s = simplify(e);
    smaller += nodes(s) < nodes(e) ? 1 : 0;
    ASSERT_LE(nodes(s), nodes(e)) << print(e) << "\n" << print(s);
    for (int sample = 0; sample < 10; ++sample) {
      std::vector<Value> at;
      for (int v = 0; v < 3; ++v) at.push_back(Value::integer(random.between(-20, 20)));
      ASSERT_EQ(value_of(e, at), value_of(s, at)) << print(e) << "\n" << print(s);
    }
  }
  EXPECT_GT(smaller, 500) << "the property is about expressions that can be simplified";
}

TEST(Simplify, twice_is_the_same_as_once) {
  Random random(13);
  for (int n = 0; n < 2000; ++n) {
    const Expr once = simplify(random_index(random, 4));
    ASSERT_TRUE(simplify(once) == once) << print(once);
  }
}

TEST(Simplify, neutral_operations_vanish) {
  for (const char* text : {"x + 0", "0 + x", "x - 0", "x * 1", "1 * x", "x / 1", "min(x, x)",
                           "max(x, x)", "x + 3 - 3", "x - 3 + 3", "x ^ 0", "0 ^ x"}) {
    EXPECT_EQ(simplified(text), "x") << text;
  }
  for (const char* text : {"x * 0", "0 * x", "x - x", "(x + y) * 0"}) {
    EXPECT_EQ(simplified(text), "0") << text;
  }
}

TEST(Simplify, constants_are_folded) {
  EXPECT_EQ(simplified("2 * 3 + 4 - 1"), "9");
  EXPECT_EQ(simplified("7 / 2"), "3");
  EXPECT_EQ(simplified("-7 / 2"), "-3") << "towards zero, as in C";
  EXPECT_EQ(simplified("-7 % 2"), "-1");
  EXPECT_EQ(simplified("min(2, 5) + max(2, 5)"), "7");
}

TEST(Simplify, offsets_stay_one_number) {
  EXPECT_EQ(simplified("x + 1 + 2"), "x + 3");
  EXPECT_EQ(simplified("1 + x + 2"), "x + 3");
  EXPECT_EQ(simplified("x + 5 - 2"), "x + 3");
  EXPECT_EQ(simplified("x - 1 - 2"), "x - 3");
  EXPECT_EQ(simplified("x - 5 + 2"), "x - 3");
  EXPECT_EQ(simplified("x + 2 - 3 + 1"), "x");
}

TEST(Simplify, what_does_not_fit_or_exist_is_left_alone) {
  EXPECT_EQ(simplified("1 / 0"), "1 / 0");
  EXPECT_EQ(simplified("1 % 0"), "1 % 0");
  EXPECT_EQ(simplified("9223372036854775807 + 1"), "9223372036854775807 + 1");
  EXPECT_EQ(simplified("-9223372036854775808 - 1"), "-9223372036854775808 - 1");
  EXPECT_EQ(simplified("9223372036854775807 * 2"), "9223372036854775807 * 2");
  EXPECT_EQ(simplified("-9223372036854775808 / -1"), "-9223372036854775808 / -1");
  EXPECT_EQ(simplified("x + 9223372036854775807 + 1"), "x + 9223372036854775807 + 1");
}

TEST(Simplify, other_types_are_left_as_they_are) {
  const Expr x = variable({"x", 0}, Scalar::f32);
  const Expr e = binary(BinaryOp::subtract, x, x);  // not 0 if x is infinite
  EXPECT_TRUE(simplify(e).same_as(e));
  const Expr y = variable({"y", 1}, Scalar::u8), zero = literal(Scalar::u8, Value{0});
  EXPECT_TRUE(simplify(binary(BinaryOp::add, y, zero)) == binary(BinaryOp::add, y, zero));
}

TEST(Simplify, index_arithmetic_inside_of_other_expressions_is_reached) {
  const Expr e = binary(BinaryOp::less, index("x + 0"), index("y * 1"));
  EXPECT_EQ(print(simplify(e)), "x < y");
  EXPECT_EQ(print(simplify(cast(Scalar::f32, index("x + 0")))), "f32(x)");
}

TEST(Simplify, same_node_is_returned_where_nothing_changed) {
  for (const char* text : {"x", "x + 1", "x * y - z", "min(x, y)", "2 * x"}) {
    const Expr e = index(text);
    EXPECT_TRUE(simplify(e).same_as(e)) << text;
  }
}

TEST(Simplify, result_still_knows_where_it_was_written) {
  for (const char* text : {"1 + 2", "1 + x", "x - 1 - 1", "x + 0", "x - x", "x * 0", "0 * x"}) {
    EXPECT_TRUE(simplify(index(text)).where().known()) << text;
  }
}

TEST(IndexArithmetic, simplifies_as_it_builds) {
  const Expr x = index("x"), two = index_literal(2);
  EXPECT_EQ(print(x + index_literal(0)), "x");
  EXPECT_EQ(print(two * two + x), "x + 4");
  EXPECT_EQ(print(x - x), "0");
  EXPECT_EQ(print(least(x, x)), "x");
  EXPECT_EQ(print(quotient(x, index_literal(1))), "x");
  EXPECT_EQ(print(quotient(index_literal(9), two)), "4");
}

TEST(CeilingQuotient, rounds_up) {
  for (int64_t a = 0; a <= 20; ++a) {
    for (int64_t b = 1; b <= 7; ++b) {
      int64_t expected = 0;
      while (expected * b < a) ++expected;
      EXPECT_EQ(constant(ceiling_quotient(index_literal(a), b)), std::optional(expected))
          << a << " / " << b;
    }
  }
}

TEST(CeilingQuotient, of_what_is_not_above_zero_is_not_above_zero) {
  for (int64_t a = -20; a <= 0; ++a) {
    for (int64_t b = 1; b <= 7; ++b) {
      EXPECT_LE(constant(ceiling_quotient(index_literal(a), b)).value_or(99), 0) << a << " / " << b;
    }
  }
}

}  // namespace
}  // namespace mdh::scalar::simplify_test
