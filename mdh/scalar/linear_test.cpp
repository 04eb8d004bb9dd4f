#include "mdh/scalar/linear.h"

#include <gtest/gtest.h>

#include "mdh/scalar/print.h"
#include "mdh/scalar/simplify.h"

namespace mdh::scalar::linear_test {
namespace {

Symbol symbol(const char* name) { return {name, 0}; }
Expr var(const char* name) { return variable(symbol(name), Scalar::i64); }

TEST(Linear, sums_and_products_with_numbers_are_collected) {
  const Expr e = (var("i") * index_literal(4) + var("j")) * index_literal(2) - var("j");
  EXPECT_EQ(linear(e), (Linear{0, {{"i", 8}, {"j", 1}}}));
  EXPECT_EQ(linear(var("i") - var("i")), (Linear{0, {}}));
}

TEST(Linear, what_is_no_sum_is_one_term) {
  const Expr e = quotient(var("i"), index_literal(3)) + index_literal(5);
  EXPECT_EQ(linear(e), (Linear{5, {{"i / 3", 1}}}));
}

TEST(Linear, a_variable_that_is_divided_has_no_coefficient) {
  const Symbol i = symbol("i");
  EXPECT_EQ(coefficient(var("i") * index_literal(3) + var("j"), i), 3);
  EXPECT_EQ(coefficient(var("j"), i), 0);
  EXPECT_EQ(coefficient(quotient(var("i"), index_literal(3)), i), std::nullopt);
  EXPECT_EQ(coefficient(var("i") * var("j"), i), std::nullopt);
}

TEST(Linear, constants_go_to_the_end) {
  const auto last = [](const Expr& e) {
    const Expr moved = constant_last(e);
    EXPECT_EQ(linear(moved), linear(e)) << print(e);
    return print(moved);
  };
  const Expr i = var("i"), k = var("k"), two = index_literal(2), eight = index_literal(8);
  EXPECT_EQ(last((i + two) * eight + k), "i * 8 + k + 16");
  EXPECT_EQ(last(eight * (two + i) + (k - two) * eight), "i * 8 + k * 8");
  EXPECT_EQ(last((i - two) * eight), "i * 8 - 16");
  EXPECT_EQ(last(i - (k + two)), "i - k - 2");
  EXPECT_EQ(last(two + two * eight), "18");
  EXPECT_EQ(last(eight - i + two), "8 - i + 2");
  EXPECT_EQ(last(quotient(i + two, eight) * two), "(i + 2) / 8 * 2");
  EXPECT_EQ(last((i + two) * (k + two)), "(i + 2) * (k + 2)");
}

TEST(Linear, expressions_differ_by_a_number_or_not) {
  EXPECT_EQ(distance(var("i") + var("j"), var("j") + var("i") + index_literal(3)), 3);
  EXPECT_EQ(distance(var("i"), var("j")), std::nullopt);
}

TEST(WithValue, a_variable_gets_a_number_and_the_rest_is_folded) {
  const Expr e =
      quotient(var("i") * index_literal(4) + index_literal(2), index_literal(5)) + var("j");
  EXPECT_EQ(with_value(e, symbol("i"), 2), index_literal(2) + var("j"));
  EXPECT_EQ(with_value(e, symbol("k"), 2), e);
}

}  // namespace
}  // namespace mdh::scalar::linear_test
