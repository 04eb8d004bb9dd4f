#include "mdh/scalar/expr.h"

#include <gtest/gtest.h>

#include <limits>

#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"

namespace mdh::scalar::expr_test {
namespace {

Expr named(const char* name, int id, Type type = Scalar::i64) {
  return variable({name, id}, std::move(type));
}

TEST(Expr, equality_is_structural_and_ignores_places) {
  const Location here{nullptr, 3, 4};
  const Expr a = binary(BinaryOp::add, named("x", 0), index_literal(1));
  const Expr b = binary(BinaryOp::add, named("x", 0), index_literal(1), here);
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a.same_as(b));
  EXPECT_FALSE(a == binary(BinaryOp::add, named("x", 0), index_literal(2)));
  EXPECT_FALSE(a == binary(BinaryOp::subtract, named("x", 0), index_literal(1)));
  EXPECT_FALSE(a == binary(BinaryOp::add, named("x", 1), index_literal(1)));
  EXPECT_FALSE(index_literal(1) == literal(Scalar::i32, Value::integer(1)));
}

TEST(Expr, comparisons_and_logic_are_bool_and_the_rest_has_its_operands_type) {
  const Expr x = named("x", 0, Scalar::f32), c = named("c", 1, Scalar::boolean);
  EXPECT_TRUE(binary(BinaryOp::less, x, x).type() == Type(Scalar::boolean));
  EXPECT_TRUE(binary(BinaryOp::logical_or, c, c).type() == Type(Scalar::boolean));
  EXPECT_TRUE(unary(UnaryOp::logical_not, c).type() == Type(Scalar::boolean));
  EXPECT_TRUE(binary(BinaryOp::multiply, x, x).type() == Type(Scalar::f32));
  EXPECT_TRUE(unary(UnaryOp::negate, x).type() == Type(Scalar::f32));
  EXPECT_TRUE(select(c, x, x).type() == Type(Scalar::f32));
  EXPECT_TRUE(cast(Scalar::i8, x).type() == Type(Scalar::i8));
}

TEST(Expr, literal_gives_way_to_its_partner) {
  const Type f32 = Scalar::f32, whole = Undecided::integer, decimal = Undecided::decimal;
  EXPECT_TRUE(joined(f32, whole) == f32);
  EXPECT_TRUE(joined(whole, f32) == f32);
  EXPECT_TRUE(joined(decimal, whole) == decimal);
  EXPECT_TRUE(joined(whole, decimal) == decimal);
  EXPECT_TRUE(joined(whole, whole) == whole);
  EXPECT_TRUE(joined(f32, Undecided::name) == Type(Undecided::name));
}

TEST(Expr, negated_literal_is_a_literal) {
  EXPECT_TRUE(unary(UnaryOp::negate, integer(3)) == integer(-3));
  EXPECT_TRUE(unary(UnaryOp::negate, decimal(0.5)) == decimal(-0.5));
  EXPECT_TRUE(unary(UnaryOp::negate, literal(Scalar::u8, Value::integer(1))) ==
              literal(Scalar::u8, Value::integer(255)));
  EXPECT_TRUE(unary(UnaryOp::negate, literal(Scalar::f32, Value::floating(2))) ==
              literal(Scalar::f32, Value::floating(-2)));
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_TRUE(unary(UnaryOp::negate, index_literal(least)) == index_literal(least)) << "wraps";
}

TEST(Expr, map_children_returns_the_same_node_where_nothing_changed) {
  for (const char* text : {"a + b", "-a", "if a < b then a else b", "f(a, b)", "3"}) {
    const Expr e = parse_expression(text);
    EXPECT_TRUE(map_children(e, [](const Expr& child) { return child; }).same_as(e)) << text;
  }
  const Expr e = cast(Scalar::i8, named("x", 0));
  EXPECT_TRUE(map_children(e, [](const Expr& child) { return child; }).same_as(e));
}

TEST(Expr, map_children_replaces_each_direct_child) {
  const auto renamed = [](const Expr& child) {
    return variable({print(child) + "_", -1}, Undecided::name);
  };
  const auto mapped = [&](const char* text) {
    return print(map_children(parse_expression(text), renamed));
  };
  EXPECT_EQ(mapped("a + b"), "a_ + b_");
  EXPECT_EQ(mapped("!a"), "!a_");
  EXPECT_EQ(mapped("if a then b else c"), "if a_ then b_ else c_");
  EXPECT_EQ(mapped("f(a, b, c)"), "f(a_, b_, c_)");
  EXPECT_EQ(mapped("a"), "a") << "a variable has no children";
}

TEST(Expr, for_each_child_visits_from_left_to_right) {
  const auto visited = [](const char* text) {
    std::string names;
    for_each_child(parse_expression(text), [&](const Expr& child) { names += print(child); });
    return names;
  };
  EXPECT_EQ(visited("a + b"), "ab");
  EXPECT_EQ(visited("-a"), "a");
  EXPECT_EQ(visited("if a then b else c"), "abc");
  EXPECT_EQ(visited("f(a, b, c)"), "abc");
  EXPECT_EQ(visited("7"), "");
}

TEST(Expr, substitute_replaces_chosen_variables_at_any_depth) {
  const Expr e = parse_expression("a * (b + f(a, -a)) - (if a < c then b else a)");
  const Expr changed = substitute(e, [](const Variable& v, const Expr&) -> std::optional<Expr> {
    if (v.symbol.name != "a") return std::nullopt;
    return integer(7);
  });
  EXPECT_EQ(print(changed), "7 * (b + f(7, -7)) - (if 7 < c then b else 7)");
}

TEST(Expr, mentions_finds_a_symbol_not_a_name) {
  const Expr e = binary(BinaryOp::add, index_literal(1), cast(Scalar::i64, named("x", 4)));
  EXPECT_TRUE(mentions(e, {"x", 4}));
  EXPECT_FALSE(mentions(e, {"x", 5}));
}

TEST(Expr, constant_is_the_number_of_an_integer_literal) {
  EXPECT_EQ(constant(integer(-4)), std::optional<int64_t>(-4));
  EXPECT_EQ(constant(index_literal(9)), std::optional<int64_t>(9));
  EXPECT_EQ(constant(decimal(4)), std::nullopt);
  EXPECT_EQ(constant(literal(Scalar::boolean, Value::integer(1))), std::nullopt);
  EXPECT_EQ(constant(named("x", 0)), std::nullopt);
}

}  // namespace
}  // namespace mdh::scalar::expr_test
