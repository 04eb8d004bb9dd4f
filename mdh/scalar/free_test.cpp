#include "mdh/scalar/free.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mdh::scalar::free_test
