#include "mdh/scalar/print.h"

#include <gtest/gtest.h>

#include <limits>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/random.h"

namespace mdh::scalar::print_test {
namespace {

constexpr int last_operator = static_cast<int>(BinaryOp::maximum);
constexpr int last_infix = static_cast<int>(BinaryOp::remainder);

BinaryOp random_operator(Random& random, int last) {
  return static_cast<BinaryOp>(random.between(0, last));
}

Expr random_literal(Random& random) {
  switch (random.between(0, 4)) {
    case 0:
      return integer(random.between(-9, 9));
    case 1:
      return integer(static_cast<int64_t>(random.next()));
    case 2:
      return decimal(static_cast<double>(random.between(-999, 999)) / 8);
    case 3:
      return decimal(std::bit_cast<double>(random.next() >> 2));  // exponents below 1: finite
    default:
      return literal(Scalar::boolean, Value::integer(random.between(0, 1)));
  }
}

/// Types need not fit: the text form does not know them.
struct Generator {
  Random& random;
  int last;
  std::function<Expr(Random&)> leaf;
  std::function<Expr(Random&, Expr)> call;

  Expr make(int depth) const {
    if (depth == 0 || random.chance(15)) return leaf(random);
    switch (random.between(0, 5)) {
      case 0:
        return unary(static_cast<UnaryOp>(random.between(0, 1)), make(depth - 1));
      case 1:
        return select(make(depth - 1), make(depth - 1), make(depth - 1));
      case 2:
        return call(random, make(depth - 1));
      default:
        return binary(random_operator(random, last), make(depth - 1), make(depth - 1));
    }
  }
};

TEST(Print, unresolved_expressions_are_read_back_equal) {
  Random random(1);
  const Generator generator{
      random, last_infix,
      [](Random& r) {
        const std::vector<std::string> names = {"a", "b_2", "x.1", "then_"};
        return r.chance(50) ? random_literal(r) : variable({r.pick(names), -1}, Undecided::name);
      },
      [](Random& r, const Expr& argument) -> Expr {
        std::vector<Expr> arguments(static_cast<size_t>(r.between(0, 3)), argument);
        return ExprNode{Call{r.chance(50) ? "min" : "f64", arguments}, Undecided::name, {}};
      }};
  for (int n = 0; n < 3000; ++n) {
    const Expr e = generator.make(5);
    const std::string text = print(e);
    ASSERT_TRUE(parse_expression(text) == e) << text;
  }
}

TEST(Print, resolved_expressions_are_read_back_equal) {
  Scope scope;
  const Symbol x = scope.declare("x", Scalar::f32, "access", {});
  const Symbol t = scope.declare("T", Undecided::name, "type", {});
  Random random(2);
  const Generator generator{
      random, last_operator,
      [&](Random& r) { return r.chance(50) ? random_literal(r) : variable(x, Scalar::f32); },
      [&](Random& r, Expr argument) {
        return cast(r.chance(50) ? Type(Scalar::u16) : Type(t), std::move(argument));
      }};
  for (int n = 0; n < 3000; ++n) {
    const Expr e = generator.make(5);
    const std::string text = print(e);
    ASSERT_TRUE(resolve(parse_expression(text), scope) == e) << text;
  }
}

TEST(Print, parentheses_stand_only_where_they_are_needed) {
  for (const char* text : {"a + b * c",
                           "(a + b) * c",
                           "a - b - c",
                           "a - (b - c)",
                           "a - (b + c)",
                           "-(a + b)",
                           "-a * b",
                           "a && b || c",
                           "a && (b || c)",
                           "(if a then b else c) + d",
                           "if a then b else c + d",
                           "!(a < b)",
                           "a < b == c",
                           "a < (b == c)",
                           "min(a + b, if c then d else e)",
                           "--a",
                           "a - -3",
                           "-3 * a",
                           "if a then if b then c else d else e",
                           "x.1 - x.2",
                           "a / (b * c)"}) {
    EXPECT_EQ(print(parse_expression(text)), text);
  }
  EXPECT_EQ(print(parse_expression("((a)) + ((b * c))")), "a + b * c");
}

TEST(Print, decimals_show_that_they_are) {
  EXPECT_EQ(print(decimal(2)), "2.0");
  EXPECT_EQ(print(decimal(-0.0)), "-0.0");
  EXPECT_EQ(print(decimal(0.1)), "0.1");
  EXPECT_EQ(print(decimal(1e30)), "1e+30");
  EXPECT_EQ(print(literal(Scalar::f32, from_floating(Scalar::f32, 0.1))), "0.1");
  EXPECT_EQ(print(literal(Scalar::f64, Value::floating(3))), "3.0");
}

TEST(Print, integers_of_every_type_show_their_number) {
  EXPECT_EQ(print(literal(Scalar::u64, Value{~uint64_t{0}})), "18446744073709551615");
  EXPECT_EQ(print(literal(Scalar::i8, Value::integer(-128))), "-128");
  EXPECT_EQ(print(integer(std::numeric_limits<int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(print(literal(Scalar::boolean, Value::integer(1))), "true");
}

TEST(Print, shortest_digits_of_an_f32_are_read_back_as_the_same_f32) {
  Random random(3);
  for (int n = 0; n < 20000; ++n) {
    const float f = std::bit_cast<float>(static_cast<uint32_t>(random.next()));
    if (f - f != 0) continue;  // infinite or not a number
    const Expr e = literal(Scalar::f32, Value::floating(f));
    const Expr back = parse_expression(print(e));
    const double number = back.as<Literal>()->value.as_floating();
    ASSERT_EQ(from_floating(Scalar::f32, number), Value::floating(f)) << print(e);
  }
}

Expr f32_literal(double d) { return literal(Scalar::f32, from_floating(Scalar::f32, d)); }

TEST(Print, literal_says_its_type_where_nothing_else_does) {
  const Expr tenth = f32_literal(0.1), half = f32_literal(0.5);
  EXPECT_EQ(print(tenth), "0.1");
  EXPECT_EQ(print(cast(Scalar::f64, tenth)), "f64(f32(0.1))");
  EXPECT_EQ(print(binary(BinaryOp::less, tenth, half)), "f32(0.1) < f32(0.5)");
  const Expr x = variable({"x", 0}, Scalar::f32);
  EXPECT_EQ(print(binary(BinaryOp::less, x, half)), "x < 0.5");
  EXPECT_EQ(print(cast(Scalar::f64, binary(BinaryOp::add, x, half))), "f64(x + 0.5)");
  EXPECT_EQ(print(cast(Scalar::f64, select(binary(BinaryOp::less, x, half), tenth, half))),
            "f64(if x < 0.5 then f32(0.1) else f32(0.5))");
  EXPECT_EQ(print(cast(Scalar::f32, index_literal(3))), "f32(3)") << "i64 is what is read anyway";
}

/// Well-typed expressions of a type, with literals wherever they may stand.
Expr random_typed(Random& random, Scalar type, int depth) {
  const auto below = [&](Scalar t) { return random_typed(random, t, depth - 1); };
  const std::vector<Scalar> all = {Scalar::i8,  Scalar::i32, Scalar::i64,
                                   Scalar::u64, Scalar::f32, Scalar::f64};
  if (type == Scalar::boolean) {
    const Scalar of = random.pick(all);
    return binary(BinaryOp::less, below(of), below(of));
  }
  if (depth <= 0 || random.chance(10)) {
    if (random.chance(20)) return variable({"x_" + to_string(type), 0}, type);
    const bool large = type == Scalar::u64 && random.chance(20);
    return literal(type, large ? Value{~uint64_t{0}} : from_integer(type, random.between(0, 99)));
  }
  switch (random.between(0, 3)) {
    case 0:
      return cast(type, below(random.pick(all)));
    case 1:
      return select(below(Scalar::boolean), below(type), below(type));
    default:
      return binary(random.chance(50) ? BinaryOp::add : BinaryOp::minimum, below(type),
                    below(type));
  }
}

/// The numbers of symbols do not matter here.
Expr anonymous(const Expr& e) {
  return substitute(e, [](const Variable& v, const Expr& whole) -> std::optional<Expr> {
    return variable({v.symbol.name, 0}, whole.type());
  });
}

TEST(Print, typed_expressions_are_read_back_equal) {
  Scope scope;
  for (const std::string& name : scalar_names()) {
    scope.declare("x_" + name, *find_scalar(name), "access", {});
  }
  Random random(4);
  for (int n = 0; n < 3000; ++n) {
    const Expr e = elaborate(random_typed(random, Scalar::f32, 4), Scalar::f32);
    const std::string text = print(e);
    const Expr back = elaborate(resolve(parse_expression(text), scope), Scalar::f32);
    ASSERT_TRUE(anonymous(back) == e) << text << "\n" << print(back);
  }
}

TEST(PrintSum, puts_what_is_weaker_than_a_sum_in_parentheses) {
  EXPECT_EQ(print_sum(parse_expression("a + b * c")), "a + b * c");
  EXPECT_EQ(print_sum(parse_expression("a < b")), "(a < b)");
  EXPECT_EQ(print_sum(parse_expression("if a then b else c")), "(if a then b else c)");
  EXPECT_EQ(print_sum(parse_expression("a & b")), "(a & b)");
}

TEST(Print, negative_of_an_integer_that_only_u64_holds_keeps_its_type) {
  for (const char* text : {"-9223375042638775807", "-9223372036854775809", "-(9223372036854775808)",
                           "-18446744073709551615"}) {
    const Expr e = parse_expression(text);
    EXPECT_EQ(parse_expression(print(e)), e) << text;
  }
}

}  // namespace
}  // namespace mdh::scalar::print_test
