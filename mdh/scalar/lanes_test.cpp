#include "mdh/scalar/lanes.h"

#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"

namespace mdh::scalar::lanes_test {
namespace {

/// A function of a and b, and of an index i.
Function typed(const std::string& text, Scalar type, Scalar result,
               const std::vector<std::pair<std::string, std::string>>& lets = {}) {
  Scope scope;
  Function f{"f", {}, {}, {}};
  for (const char* name : {"a", "b"}) {
    f.parameters.push_back({scope.declare(name, type, "value", {}), type});
  }
  f.parameters.push_back({scope.declare("i", Scalar::i64, "index", {}), Scalar::i64});
  for (const auto& [name, let] : lets) {
    const Expr value = elaborate(resolve(parse_expression(let), scope), Type());
    f.locals.push_back({scope.declare_local(name, value.type(), "let", {}), value, {}});
  }
  f.results.push_back({local("r"), elaborate(resolve(parse_expression(text), scope), result), {}});
  return f;
}

const Scalar f32 = Scalar::f32, f64 = Scalar::f64, i32 = Scalar::i32, i64 = Scalar::i64,
             boolean = Scalar::boolean;

TEST(LanesOk, lanes_are_computed_side_by_side_where_every_operation_allows_it) {
  for (const Scalar type : {Scalar::i8, Scalar::u32, i64, f32, f64}) {
    for (const char* text :
         {"a", "a * b + a - 2", "-min(a, max(b, 3))",
          "if a < b then a + b else if a == b then 1 else b", "if a < b && !(b < 3) then a else b",
          "if (if a < b then b < 3 else true) || a == 2 then a else b",
          "loop (k = a) while (k < b) { k = k + 1 } yield k"}) {
      EXPECT_TRUE(lanes_ok(typed(text, type, type))) << text << " of " << to_string(type);
    }
  }
  EXPECT_TRUE(lanes_ok(typed("a / b", f32, f32)));
  EXPECT_TRUE(lanes_ok(typed("f32(a) + 1", i32, f32)));
  EXPECT_TRUE(lanes_ok(typed("f64(a * b)", Scalar::u64, f64)));
}

TEST(LanesOk, four_and_eight_bytes_go_together_and_lets_have_names) {
  EXPECT_TRUE(lanes_ok(typed("f64(a)", f32, f64)));
  EXPECT_TRUE(lanes_ok(typed("f32(f64(a) + 0.1)", f32, f32)));
  EXPECT_TRUE(lanes_ok(typed("if i < 3 then a else b", f32, f32))) << "an index";
  EXPECT_TRUE(lanes_ok(
      typed("if small then c else a", f32, f32, {{"small", "a < b || i == 2"}, {"c", "a * b"}})));
  EXPECT_TRUE(widths_meet(1, 1) && widths_meet(4, 8) && widths_meet(8, 4) && widths_meet(8, 8));
  EXPECT_FALSE(widths_meet(1, 2) || widths_meet(2, 4) || widths_meet(8, 1));
}

TEST(LanesOk, lanes_are_refused_where_an_operation_has_no_vector_form) {
  EXPECT_FALSE(lanes_ok(typed("a + b", Scalar::f16, Scalar::f16))) << "is rounded";
  EXPECT_FALSE(lanes_ok(typed("a + b", Scalar::bf16, Scalar::bf16)));
  EXPECT_FALSE(lanes_ok(typed("i32(a)", Scalar::i8, i32))) << "another width";
  EXPECT_FALSE(lanes_ok(typed("if i < 3 then a else b", Scalar::i8, Scalar::i8)));
  EXPECT_FALSE(lanes_ok(typed("i32(a)", f32, i32))) << "saturates";
  EXPECT_FALSE(lanes_ok(typed("f32(a)", i64, f32))) << "may be rounded twice";
  EXPECT_FALSE(lanes_ok(typed("a / b", i32, i32))) << "is guarded";
  EXPECT_FALSE(lanes_ok(typed("sqrt(a)", f32, f32)));
  EXPECT_FALSE(lanes_ok(typed("a < b", f32, boolean))) << "truth as a result";
  EXPECT_FALSE(lanes_ok(typed("if a then 1 else 2", boolean, i32))) << "as an argument";
  EXPECT_FALSE(lanes_ok(typed("if (a < b) == (b < 3) then a else b", i32, i32))) << "as a number";
  EXPECT_FALSE(lanes_ok(typed("i32(a < b)", i32, i32)));
  EXPECT_FALSE(lanes_ok(typed("a", i32, i32, {{"unused", "sqrt(f64(b))"}})));
  EXPECT_FALSE(lanes_ok(typed("loop (k = a) while (k < b) { k = k / 2 } yield k", i32, i32)));
  for (const char* text : {"a % b", "a << b", "a & b", "~a"}) {
    EXPECT_FALSE(lanes_ok(typed(text, i32, i32))) << text;
  }
  EXPECT_FALSE(lanes_ok(Function{"none", {}, {}, {}}));
}

}  // namespace
}  // namespace mdh::scalar::lanes_test
