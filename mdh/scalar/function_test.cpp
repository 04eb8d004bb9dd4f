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

/// A function of a and b.
Function typed(const std::string& text, Scalar type, Scalar result) {
  Scope scope;
  Function f{"f", {}, {}, {}};
  for (const char* name : {"a", "b"}) {
    f.parameters.push_back({scope.declare(name, type, "value", {}), type});
  }
  f.results.push_back({local("r"), elaborate(resolve(parse_expression(text), scope), result), {}});
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

TEST(Function, lanes_are_computed_side_by_side_where_every_operation_allows_it) {
  for (const Scalar type : {Scalar::i8, Scalar::u32, Scalar::i64, Scalar::f32, Scalar::f64}) {
    for (const char* text : {"a", "a * b + a - 2", "-min(a, max(b, 3))",
                             "if a < b then a + b else if a == b then 1 else b"}) {
      EXPECT_TRUE(lanes_ok(typed(text, type, type))) << text << " of " << to_string(type);
    }
  }
  EXPECT_TRUE(lanes_ok(typed("a / b", Scalar::f32, Scalar::f32)));
  EXPECT_TRUE(lanes_ok(typed("f32(a) + 1", Scalar::i32, Scalar::f32)));
  EXPECT_TRUE(lanes_ok(typed("f64(a * b)", Scalar::u64, Scalar::f64)));
}

TEST(Function, lanes_are_refused_where_an_operation_has_no_vector_form) {
  const Scalar f32 = Scalar::f32, i32 = Scalar::i32, boolean = Scalar::boolean;
  EXPECT_FALSE(lanes_ok(typed("a + b", Scalar::f16, Scalar::f16))) << "is rounded";
  EXPECT_FALSE(lanes_ok(typed("a + b", Scalar::bf16, Scalar::bf16)));
  EXPECT_FALSE(lanes_ok(typed("f64(a)", f32, Scalar::f64))) << "another width";
  EXPECT_FALSE(lanes_ok(typed("f32(f64(a) + 0.1)", f32, f32)));
  EXPECT_FALSE(lanes_ok(typed("a / b", i32, i32))) << "is guarded";
  EXPECT_FALSE(lanes_ok(typed("sqrt(a)", f32, f32)));
  EXPECT_FALSE(lanes_ok(typed("a < b", f32, boolean))) << "truth as a result";
  EXPECT_FALSE(lanes_ok(typed("a != b", boolean, boolean)));
  for (const char* text : {"a % b", "a << b", "a & b", "~a"}) {
    EXPECT_FALSE(lanes_ok(typed(text, i32, i32))) << text;
  }
  EXPECT_FALSE(lanes_ok(typed("if a < b && b < 3 then a else b", i32, i32)));
  EXPECT_FALSE(lanes_ok(typed("loop (k = a) while (k < b) { k = k + 1 } yield k", i32, i32)));
  EXPECT_FALSE(lanes_ok(Function{"none", {}, {}, {}}));
}

}  // namespace
}  // namespace mdh::scalar::function_test
