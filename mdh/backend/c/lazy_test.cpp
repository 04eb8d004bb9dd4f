#include "mdh/backend/c/lazy.h"

#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/print_definitions.h"
#include "mdh/scalar/resolve.h"

namespace mdh::backend::lazy_test {
namespace {

using scalar::Expr;
using scalar::Function;
using scalar::Scalar;
using scalar::Type;

/// A function of x and y: i32 whose result is an i32.
Function function(const std::vector<std::pair<std::string, std::string>>& lets,
                  const std::string& result, const std::vector<Function>& known = {}) {
  scalar::Scope scope;
  Function f{"f", {}, {}, {}};
  for (const char* name : {"x", "y"}) {
    f.parameters.push_back({scope.declare(name, Scalar::i32, "value", {}), Scalar::i32});
  }
  for (const Function& g : known) scope.declare_function(g, {});
  for (const auto& [name, text] : lets) {
    const Expr value = elaborate(resolve(scalar::parse_expression(text), scope), Type());
    f.locals.push_back({scope.declare_local(name, value.type(), "let", {}), value, {}});
  }
  const Expr value = elaborate(resolve(scalar::parse_expression(result), scope), Scalar::i32);
  f.results.push_back({scalar::local("r"), value, {}});
  return f;
}

void expect_same(const Function& lazy, const Function& expected) {
  EXPECT_EQ(print_definition(lazy), print_definition(expected));
}

TEST(Lazy, truth_that_only_decides_is_written_into_its_uses) {
  expect_same(with_lazy_truth(function({{"a", "x < y"}, {"b", "x == 3"}, {"c", "a && !b"}},
                                       "if c || a then x else y")),
              function({}, "if (x < y && !(x == 3)) || x < y then x else y"));
}

TEST(Lazy, values_and_what_is_used_as_one_stay) {
  const Function number = function({{"a", "x * y"}}, "if a < 3 then x else y");
  expect_same(with_lazy_truth(number), number);
  const Function compared = function({{"a", "x < y"}, {"b", "y < 3"}}, "if a == b then x else y");
  expect_same(with_lazy_truth(compared), compared);
  const Function chosen = function({{"a", "x < y"}, {"b", "if x == 1 then a else false"}},
                                   "if b == (x < 2) then x else y");
  expect_same(with_lazy_truth(chosen), chosen);
  const Function number_of = function({{"a", "x < y"}}, "i32(a)");
  expect_same(with_lazy_truth(number_of), number_of);
}

TEST(Lazy, what_a_loop_asks_again_and_again_stays) {
  const Function inside = function(
      {{"a", "x < y"}}, "loop (n = x) while (n < 3 && a) { n = n + 1 } yield if a then n else y");
  expect_same(with_lazy_truth(inside), inside);
  const Function outside =
      function({{"a", "(loop (n = x) while (n < 3) { n = n + 1 } yield n) < y"}},
               "if a || x < 2 then x else y");
  expect_same(with_lazy_truth(outside), outside);
}

TEST(Lazy, copies_are_few_and_small) {
  std::vector<std::pair<std::string, std::string>> lets = {{"a0", "x < y"}};
  for (int n = 1; n < 40; ++n) {
    const std::string last = "a" + std::to_string(n - 1);
    lets.emplace_back("a" + std::to_string(n), last + " && !" + last);
  }
  const Function f = with_lazy_truth(function(lets, "if a39 then x else y"));
  EXPECT_GT(f.locals.size(), 4u);
  EXPECT_LT(f.locals.size(), 40u);
  EXPECT_LT(inlined_size(f, 100000), 40 * 300);
}

/// Where threads wait for each other, a long condition is behind what it needs.
TEST(Needs, long_conditions_are_asked_where_they_may_hold) {
  const char* const stages =
      "(x == 1 && y == 2 && x < y) || (x == 1 && y == 3 && y < x) || (x == 1 && y == 4 && x < 5)"
      " || (x == 1 && y < 7 && x < 6)";
  expect_same(with_needs_first(function({{"a", stages}}, "if a then x else y")),
              function({{"a", std::string("x == 1 && (") + stages + ")"}}, "if a then x else y"));
  expect_same(with_needs_first(function({}, std::string("if ") + stages + " then x else y")),
              function({}, std::string("if x == 1 && (") + stages + ") then x else y"));
}

TEST(Needs, short_conditions_and_those_of_loops_stay) {
  const Function brief =
      function({{"a", "x == 1 && y == 2 || x == 1 && y < x"}}, "if a then x else y");
  expect_same(with_needs_first(brief), brief);
  const Function loop = function(
      {},
      "loop (n = x) while (n < 3) { n = if n == 1 && y == 2 && x < y || n == 1 && y == 3 && y < x"
      " || n == 1 && y == 4 && x < 5 || n == 1 && y < 7 && x < 6 then n + 1 else n + 2 } yield n");
  expect_same(with_needs_first(loop), loop);
}

TEST(InlinedSize, callees_count_each_time_up_to_the_limit) {
  Function last = function({}, "x + y");
  last.name = "g0";
  EXPECT_EQ(inlined_size(last, 100), 3);
  EXPECT_EQ(inlined_size(function({{"a", "x < y"}}, "x"), 100), 4);
  for (int n = 1; n < 60; ++n) {
    const std::string callee = last.name;
    last = function({}, callee + "(x, y) + " + callee + "(y, x)", {last});
    last.name = "g" + std::to_string(n);
    if (n == 1) {
      EXPECT_EQ(inlined_size(last, 100), 1 + 2 * (3 + 3));
    }
  }
  EXPECT_EQ(inlined_size(last, 1000), 1000);
}

TEST(Linkage, what_is_small_or_called_seldom_is_always_expanded) {
  const Function f = function({{"a", "x < y"}}, "if a then x else y");  // 7 nodes
  const std::string always = "static inline __attribute__((always_inline)) ";
  EXPECT_EQ(linkage(Dialect::c, f), always);
  EXPECT_EQ(linkage(Dialect::c, f, 2000), always);
  EXPECT_EQ(linkage(Dialect::c, f, 3000), "static inline ");
  EXPECT_EQ(linkage(Dialect::opencl, f), "static inline ");
}

}  // namespace
}  // namespace mdh::backend::lazy_test
