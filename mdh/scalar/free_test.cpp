#include "mdh/scalar/free.h"

#include <gtest/gtest.h>

#include "mdh/scalar/function.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"

namespace mdh::scalar::free_test {
namespace {

std::string names(const Variables& variables) {
  std::string text;
  for (const auto& [symbol, type] : variables) text += symbol.name + " ";
  return text;
}

Expr resolved(const std::string& text) {
  Scope scope;
  for (const char* name : {"a", "b", "c", "n", "x", "y"}) {
    scope.declare(name, Scalar::i64, "value", {});
  }
  return resolve(parse_expression(text), scope);
}

const char* const text = "loop (k = a, s = c) while (k < n) { k = k + 1, s = s * x } yield s + y";

TEST(Free, what_a_loop_defines_is_its_own_and_initial_values_are_outside) {
  const Expr e = resolved(text);
  EXPECT_EQ(names(free_variables(e)), "a c n x y ");
  EXPECT_EQ(names(captured(*e.as<Loop>())), "n x y ");
  EXPECT_EQ(names(free_variables(resolved("a * b + a"))), "a b ");
}

TEST(Free, loops_are_found_at_any_depth) {
  EXPECT_TRUE(has_loop(resolved(std::string("1 + (") + text + ")")));
  EXPECT_FALSE(has_loop(resolved("if a < b then a else b")));
}

TEST(Free, loops_of_functions_are_found_in_locals_and_in_what_they_call) {
  const Expr loops = resolved(text), plain = resolved("a + b");
  const auto function = [](const Expr& local, const Expr& result) {
    return Function{.name = "f",
                    .parameters = {},
                    .results = {{Symbol{"y"}, result, {}}},
                    .locals = {{Symbol{"t"}, local, {}}}};
  };
  EXPECT_FALSE(has_loop(function(plain, plain)));
  EXPECT_TRUE(has_loop(function(loops, plain)));
  EXPECT_TRUE(has_loop(function(plain, loops)));
  const auto callee = std::make_shared<const Function>(function(plain, loops));
  const Expr call = ExprNode{Call{"f", {plain}, callee}, loops.type(), {}};
  EXPECT_FALSE(has_loop(call));
  EXPECT_TRUE(has_loop(function(call, plain)));
}

}  // namespace
}  // namespace mdh::scalar::free_test
