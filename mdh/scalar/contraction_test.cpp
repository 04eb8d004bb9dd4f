#include "mdh/scalar/contraction.h"

#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"

namespace mdh::scalar::contraction_test {
namespace {

/// A function of a, b and c with one result.
Function function(const std::string& text, Scalar type) {
  Scope scope;
  Function f{"f", {}, {}};
  for (const char* name : {"a", "b", "c"}) {
    f.parameters.push_back({scope.declare(name, type, "access", {}), type});
  }
  f.results.push_back({{"r", 99}, elaborate(resolve(parse_expression(text), scope), Type()), {}});
  return f;
}

bool contracts(const std::string& text, Scalar type = Scalar::f32) {
  return can_contract(function(text, type));
}

TEST(Contraction, sum_with_a_product_can_be_contracted) {
  EXPECT_TRUE(contracts("a * b + c"));
  EXPECT_TRUE(contracts("c + a * b", Scalar::f64));
  EXPECT_TRUE(contracts("c - a * b"));
  EXPECT_TRUE(contracts("-(a * b) - c"));
  EXPECT_TRUE(contracts("(if a < b then a * b else b) + c"));
  EXPECT_TRUE(contracts("loop (k = 0, s = a) while (k < 3) { s = s * b, k = k + 1 } yield s + c"));
  EXPECT_TRUE(
      contracts("loop (k = 0, s = a) while (k < 3) { s = (s + c) * b, k = k + 1 } yield s"));
}

TEST(Contraction, others_cannot) {
  EXPECT_FALSE(contracts("a * (b + c)"));
  EXPECT_FALSE(contracts("a * b * c"));
  EXPECT_FALSE(contracts("a / b + c"));
  EXPECT_FALSE(contracts("max(a, a + b) * c"));
  EXPECT_FALSE(contracts("abs(a * b) + c"));
  EXPECT_FALSE(contracts("f32(f64(a) * f64(b)) + c"));
}

TEST(Contraction, integers_and_16_bit_formats_are_never_contracted) {
  for (const Scalar type : {Scalar::i32, Scalar::u64, Scalar::f16, Scalar::bf16}) {
    EXPECT_FALSE(contracts("a * b + c", type)) << to_string(type);
  }
}

TEST(Contraction, product_of_a_local_is_seen_where_it_is_added) {
  Function f = function("a * b", Scalar::f32);
  f.locals.push_back({local("t"), f.results[0].value, {}});
  f.results[0].value = binary(BinaryOp::add, variable(local("t"), Scalar::f32),
                              variable(f.parameters[2].symbol, Scalar::f32));
  EXPECT_TRUE(can_contract(f));
}

TEST(Contraction, functions_are_deterministic_under_deviations_they_do_not_meet) {
  const auto is = [](const std::string& text, const Deviations& d, Scalar type = Scalar::f32) {
    return is_deterministic(function(text, type), d);
  };
  const Deviations opencl = {.mathematics = MathLibrary::opencl};
  const Deviations loose = {.mathematics = MathLibrary::opencl, .loose_division = true};
  EXPECT_TRUE(is("a * b + c", {}));
  EXPECT_FALSE(is("a * b + c", {.contracts = true}));
  EXPECT_TRUE(is("(a + b) * c", {.contracts = true}));
  EXPECT_TRUE(is("a * b + c", {.contracts = true}, Scalar::f16));
  EXPECT_TRUE(is("sqrt(abs(a)) / floor(b)", {}));
  EXPECT_FALSE(is("exp(a)", {}));
  EXPECT_FALSE(is("if a < b then a else sin(b)", opencl));
  EXPECT_TRUE(is("a / b + sqrt(c)", opencl));
  EXPECT_FALSE(is("a / b", loose));
  EXPECT_FALSE(is("sqrt(a)", loose));
  EXPECT_FALSE(is("a / b", loose, Scalar::f16));
  EXPECT_TRUE(is("a / b + sqrt(c)", loose, Scalar::f64));
  EXPECT_TRUE(is("a / b", loose, Scalar::i32));
  EXPECT_TRUE(is("abs(a)", {}, Scalar::i32));
  EXPECT_FALSE(is("a + b", {.flushes_subnormals = true}));
  EXPECT_FALSE(is("f64(f32(a)) + b", {.flushes_subnormals = true}, Scalar::f64));
  EXPECT_TRUE(is("a + b", {.flushes_subnormals = true}, Scalar::f64));
}

}  // namespace
}  // namespace mdh::scalar::contraction_test
