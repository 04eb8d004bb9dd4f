#include "mdh/scalar/parse.h"

#include <gtest/gtest.h>

#include "mdh/scalar/operator_table.h"
#include "mdh/support/testing.h"
#include "mdh/support/text.h"

namespace mdh::scalar::parse_test {
namespace {

/// The tree, fully parenthesised and written by other means than print().
std::string tree(const Expr& e) {
  std::vector<std::string> parts;
  if (const auto* v = e.as<Variable>()) return v->symbol.name;
  if (const auto* l = e.as<Literal>()) {
    if (e.type() == Type(Undecided::decimal)) return fmt::format("{:f}", l->value.as_floating());
    return fmt::format("{}", l->value.as_integer());
  }
  if (const auto* u = e.as<Unary>()) parts.emplace_back(u->op == UnaryOp::negate ? "-" : "!");
  if (const auto* b = e.as<Binary>()) parts.emplace_back(operator_row(b->op).text);
  if (e.as<Select>()) parts.emplace_back("if");
  if (const auto* c = e.as<Call>()) parts.push_back(c->name);
  for_each_child(e, [&](const Expr& child) { parts.push_back(tree(child)); });
  return "(" + join(parts, " ") + ")";
}

std::string tree(const char* text) { return tree(parse_expression(text)); }

Diagnostic error_in(const std::string& text) {
  return diagnostic_of([&] { parse_expression(text, "t"); });
}

TEST(Parse, products_bind_stronger_than_sums) {
  EXPECT_EQ(tree("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(tree("a * b - c"), "(- (* a b) c)");
  EXPECT_EQ(tree("(a + b) * c"), "(* (+ a b) c)");
}

TEST(Parse, operators_of_one_strength_group_to_the_left) {
  EXPECT_EQ(tree("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(tree("a / b * c % d"), "(% (* (/ a b) c) d)");
  EXPECT_EQ(tree("a - b + c"), "(+ (- a b) c)");
  EXPECT_EQ(tree("a - (b - c)"), "(- a (- b c))");
}

// One operator of every level, the weakest first: each is the right operand of the one before.
TEST(Parse, levels_are_or_and_comparison_bits_sum_product_unary) {
  EXPECT_EQ(tree("a || b && c == d | e ^ f & g + h * -i"),
            "(|| a (&& b (== c (| d (^ e (& f (+ g (* h (- i)))))))))");
  EXPECT_EQ(tree("-a * b + c & d ^ e | f == g && h || i"),
            "(|| (&& (== (| (^ (& (+ (* (- a) b) c) d) e) f) g) h) i)");
}

TEST(Parse, comparisons_are_all_of_one_strength) {
  for (const char* op : {"==", "!=", "<", "<=", ">", ">="}) {
    const std::string text = fmt::format("a {} b < c", op);
    EXPECT_EQ(tree(text.c_str()), fmt::format("(< ({} a b) c)", op));
  }
}

TEST(Parse, unary_operators_nest) {
  EXPECT_EQ(tree("--a"), "(- (- a))");
  EXPECT_EQ(tree("!-!a"), "(! (- (! a)))");
  EXPECT_EQ(tree("-(a + b)"), "(- (+ a b))");
  EXPECT_EQ(tree("a - -b"), "(- a (- b))");
}

TEST(Parse, negated_number_is_one_literal) {
  EXPECT_EQ(tree("-3"), "-3");
  EXPECT_EQ(tree("a - 3"), "(- a 3)");
  EXPECT_EQ(tree("- -3"), "3");
  EXPECT_EQ(tree("-9223372036854775808"), "-9223372036854775808");
}

TEST(Parse, branches_of_a_conditional_reach_as_far_as_possible) {
  EXPECT_EQ(tree("if a then b else c + d"), "(if a b (+ c d))");
  EXPECT_EQ(tree("(if a then b else c) + d"), "(+ (if a b c) d)");
  EXPECT_EQ(tree("if a then if b then c else d else e"), "(if a (if b c d) e)");
  EXPECT_EQ(tree("if a then b else if c then d else e"), "(if a b (if c d e))");
}

TEST(Parse, calls_take_any_number_of_expressions) {
  EXPECT_EQ(tree("f()"), "(f)");
  EXPECT_EQ(tree("min(a + b, -c) * d"), "(* (min (+ a b) (- c)) d)");
  EXPECT_EQ(tree("f(if a then b else c, d)"), "(f (if a b c) d)");
}

TEST(Parse, numbered_access_is_one_name) {
  EXPECT_EQ(tree("x.1 + x.2"), "(+ x.1 x.2)");
  const Expr e = parse_expression("l.y.2");
  ASSERT_TRUE(e.as<FieldOf>());
  EXPECT_EQ(e.as<FieldOf>()->field, "y.2") << "the second access of output y, in an operator";
}

TEST(Parse, literals_have_their_value_and_an_undecided_type) {
  EXPECT_TRUE(parse_expression("12") == integer(12));
  EXPECT_TRUE(parse_expression("0.5") == decimal(0.5));
  EXPECT_TRUE(parse_expression("25e-2") == decimal(0.25));
  EXPECT_TRUE(parse_expression("true") == literal(Scalar::boolean, Value::integer(1)));
  EXPECT_TRUE(parse_expression("false") == literal(Scalar::boolean, Value::integer(0)));
  EXPECT_TRUE(parse_expression("9223372036854775807") == integer(9223372036854775807));
}

TEST(Parse, integer_beyond_63_bits_is_a_u64) {
  EXPECT_TRUE(parse_expression("9223372036854775808") ==
              literal(Scalar::u64, Value{uint64_t{1} << 63}));
  EXPECT_TRUE(parse_expression("18446744073709551615") ==
              literal(Scalar::u64, Value{~uint64_t{0}}));
}

TEST(Parse, numbers_out_of_range_are_refused) {
  EXPECT_EQ(error_in("18446744073709551616").code, "E104");
  EXPECT_EQ(error_in("18446744073709551616").message,
            "the integer 18446744073709551616 does not fit 64 bits");
  EXPECT_EQ(error_in("1e999").code, "E105");
  EXPECT_EQ(error_in("1e999").message, "the number 1e999 is out of range");
}

TEST(Parse, nodes_know_where_they_stand) {
  const Expr e = parse_expression("ab +\n  f(c)", "t");
  EXPECT_EQ(to_string(e.where()), "t:1:4") << "a binary operation stands at its operator";
  EXPECT_EQ(to_string(e.as<Binary>()->left.where()), "t:1:1");
  EXPECT_EQ(to_string(e.as<Binary>()->right.where()), "t:2:3");
}

TEST(Parse, sum_ends_where_the_surroundings_begin) {
  TokenStream tokens("i + 2 * (k < 3) - 1 < j", "t");
  EXPECT_EQ(tree(parse_sum(tokens)), "(- (+ i (* 2 (< k 3))) 1)");
  EXPECT_TRUE(tokens.at("<"));
}

TEST(Parse, malformed_expressions_are_refused_with_what_was_expected) {
  EXPECT_EQ(error_in("a +").message, "expected an expression here, found end of text");
  EXPECT_EQ(error_in("(a").message, "expected ')' to close the parenthesis, found end of text");
  EXPECT_EQ(error_in("f(a b)").message, "expected ')' after the arguments of 'f', found 'b'");
  EXPECT_EQ(error_in("f(a,)").message, "expected an expression here, found ')'");
  EXPECT_EQ(error_in("if a b").message, "expected 'then' after the condition of 'if', found 'b'");
  EXPECT_EQ(error_in("if a then b").message,
            "expected 'else' after the first branch of 'if', found end of text");
  EXPECT_EQ(error_in("a b").message, "expected the end of the expression, found 'b'");
  EXPECT_EQ(error_in("a + * b").message, "expected an expression here, found '*'");
  EXPECT_EQ(error_in("").message, "expected an expression here, found end of text");
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int n = 0; n < times; ++n) all += text;
  return all;
}

TEST(Parse, nesting_beyond_the_stack_is_refused) {
  const int many = 100'000;
  for (const std::string& text :
       {repeated("(", many), repeated("-", many), repeated("!", many), repeated("f(", many),
        repeated("if ", many), repeated("if a then b else ", many)}) {
    const Diagnostic d = error_in(text + "a");
    EXPECT_EQ(d.code, "E103") << text.substr(0, 10);
    EXPECT_EQ(d.message.find("expected a simpler expression"), 0u) << d.message;
  }
}

// A sum groups to the left, so its tree is as deep as it is long.
TEST(Parse, sum_too_long_for_the_stack_is_refused) {
  const Diagnostic d = error_in(repeated("a + ", 1'000'000) + "a");
  EXPECT_EQ(d.code, "E103");
  EXPECT_EQ(d.message.find("expected a simpler expression"), 0u) << d.message;
  EXPECT_EQ(error_in(repeated("a + ", 900) + "a").message, "(no error was raised)");
}

}  // namespace
}  // namespace mdh::scalar::parse_test
