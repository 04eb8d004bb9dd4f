#include "mdh/model/function_cost.h"

#include <chrono>

#include <gtest/gtest.h>

#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"

namespace mdh::model::function_cost_test {
namespace {

scalar::Function f_of(const std::string& f, const std::string& before = "",
                      const std::string& type = "f32") {
  const std::string text = "mdh 1\n" + before +
                           "program p = out_view( y: f32 = [i] ) * md_hom( i: 64 by cc ) {" + f +
                           "} * inp_view( x: " + type + " = [i] )";
  return hl::scalar_function(hl::instantiate(hl::parse(text), {}));
}

FunctionCost cost_of_f(const std::string& f, const std::string& before = "",
                       const std::string& type = "f32") {
  return cost_of(f_of(f, before, type));
}

TEST(FunctionCost, operations_of_either_kind_are_counted) {
  const FunctionCost single = cost_of_f("y = x * x + x;");
  EXPECT_EQ(single.singles, 2);
  EXPECT_EQ(single.doubles, 0);
  EXPECT_EQ(single.uneven, 1);
  EXPECT_EQ(single.loop_chain, 0);
  const FunctionCost wide = cost_of_f("y = f32(f64(x) * 2.0 + 1.0);");
  EXPECT_EQ(wide.doubles, 2);
}

TEST(FunctionCost, loops_count_as_often_as_they_run) {
  const FunctionCost nine =
      cost_of_f("y = loop (k = 0, s = x) while (k < 9) { s = s + x, k = k + 1 } yield s;");
  EXPECT_EQ(nine.uneven, 1) << "all points take nine rounds";
  EXPECT_EQ(nine.loop_chain, 9);
  EXPECT_EQ(nine.singles, 9 * 4) << "two sums, the comparison, the branch";
  const FunctionCost steps =
      cost_of_f("y = loop (k = 1, s = x) while (k <= 9) { s = s + x, k = k + 4 } yield s;");
  EXPECT_EQ(steps.loop_chain, 3);
}

TEST(FunctionCost, long_functions_take_little_time) {
  std::string lets, last = "x";
  for (int n = 0; n < 8000; ++n) {
    const std::string name = "v" + std::to_string(n);
    lets += name + " = " + last + " * x + " + std::to_string(n) + ".5;\n";
    last = name;
  }
  const scalar::Function f = f_of(lets + "y = " + last + ";");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(cost_of(f).singles, 16000);
  // Some hundredths. If each expression were compared with all others, it would be 8.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(FunctionCost, loops_that_may_leave_early_are_uneven) {
  const FunctionCost cost = cost_of_f(
      "y = loop (k = 0, s = x) while (s < 4.0 && k < 1000) { s = s * s, k = k + 1 } yield s;");
  EXPECT_EQ(cost.loop_chain, 200) << "a fifth of what is allowed";
  EXPECT_EQ(cost.uneven, 5);
}

TEST(FunctionCost, what_is_computed_twice_counts_once) {
  EXPECT_EQ(cost_of_f("y = x * x + x * x;").singles, 2);
}

TEST(FunctionCost, what_is_expensive_is_rare) {
  const std::string heavy = "loop (k = 0, s = x) while (k < 100) { s = s + x, k = k + 1 } yield s";
  const FunctionCost all = cost_of_f("y = " + heavy + ";");
  const FunctionCost some = cost_of_f("y = if x < 0.5 then " + heavy + " else 0.0;");
  EXPECT_LT(some.singles, all.singles / 16);
  const FunctionCost both = cost_of_f("y = if x < 0.5 then " + heavy + " else " + heavy + ";");
  EXPECT_GT(both.singles, 2 * all.singles) << "threads of a warp take either side";
}

TEST(FunctionCost, fields_that_are_read_are_known) {
  const FunctionCost cost = cost_of_f("y = if x.a == x.b[1] then 1.0 else f32(x.b[0]);",
                                      "record r { a: i32; b: i32[3]; c: f64; }\n", "r");
  EXPECT_EQ(cost.fields.at("r"), (std::set<std::string>{"a", "b0", "b1"}));
}

}  // namespace
}  // namespace mdh::model::function_cost_test
