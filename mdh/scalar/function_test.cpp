#include "mdh/scalar/function.h"

#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"

namespace mdh::scalar::function_test {
namespace {

Function function(const std::vector<std::string>& results) {
  Function f{"f", {}, {}};
  for (const std::string& text : results)
    f.results.push_back({{"r", 0}, parse_expression(text), {}});
  return f;
}

TEST(Function, counts_its_operations_but_not_its_casts) {
  EXPECT_EQ(operations_in(function({"a"})), 0);
  EXPECT_EQ(operations_in(function({"a * b"})), 1);
  EXPECT_EQ(operations_in(function({"c * (a + b + c)"})), 3);
  EXPECT_EQ(operations_in(function({"if a < b then -a else b"})), 3);
  EXPECT_EQ(operations_in(function({"a + b", "a * b"})), 2);
  const Expr a = variable({"a", 0}, Scalar::f32);
  const Function casts{"f", {}, {{{"r", 0}, cast(Scalar::f64, a), {}}}};
  EXPECT_EQ(operations_in(casts), 0);
  EXPECT_EQ(depth_of(casts), 1) << "but a cast rounds";
}

TEST(Function, depth_is_the_longest_chain_of_operations) {
  EXPECT_EQ(depth_of(function({"a"})), 0);
  EXPECT_EQ(depth_of(function({"(a + b) * (c + d)"})), 2);
  EXPECT_EQ(depth_of(function({"a + b + c + d"})), 3);
  EXPECT_EQ(depth_of(function({"a", "a + b * c"})), 2);
}

TEST(Function, arithmetic_only_has_no_comparison_select_or_extremum) {
  EXPECT_TRUE(is_arithmetic_only(function({"a * b + c / d - -e", "a % b"})));
  for (const char* text : {"a + (if b then c else d)", "a < b", "a * f(b)", "a & b", "a || b"}) {
    EXPECT_FALSE(is_arithmetic_only(function({"a * b", text}))) << text;
  }
  const Expr a = variable({"a", 0}, Scalar::f32);
  const Function extremum{"f", {}, {{{"r", 0}, binary(BinaryOp::minimum, a, a), {}}}};
  EXPECT_FALSE(is_arithmetic_only(extremum));
}

TEST(Function, contraction_needs_that_rounding_decides_nothing) {
  const Expr a = variable({"a", 0}, Scalar::f32), product = binary(BinaryOp::multiply, a, a);
  const auto with = [](const Expr& e) { return Function{"f", {}, {{{"r", 0}, e, {}}}, {}}; };
  const Function nothing{"f", {}, {}, {}}, plain = with(product);
  EXPECT_TRUE(may_contract(plain, nothing));
  EXPECT_TRUE(may_contract(with(cast(Scalar::f64, product)), nothing));
  EXPECT_TRUE(may_contract(plain, with(binary(BinaryOp::maximum, a, a)))) << "only chooses";
  EXPECT_TRUE(may_contract(plain, with(binary(BinaryOp::add, a, product))));
  EXPECT_FALSE(may_contract(with(cast(Scalar::boolean, product)), nothing));
  EXPECT_FALSE(may_contract(with(cast(Scalar::i64, product)), nothing));
  EXPECT_FALSE(may_contract(plain, with(binary(BinaryOp::maximum, a, product))));
}

}  // namespace
}  // namespace mdh::scalar::function_test
