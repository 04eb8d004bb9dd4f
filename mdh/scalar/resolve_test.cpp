#include "mdh/scalar/resolve.h"

#include <gtest/gtest.h>

#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::resolve_test {
namespace {

Scope example_scope() {
  Scope scope;
  scope.declare("T", Undecided::name, "type", {});
  scope.declare("matrix", Scalar::f32, "access", {});
  scope.declare("i", Scalar::i64, "dimension", {});
  return scope;
}

Expr resolved(const std::string& text) {
  return resolve(parse_expression(text, "t"), example_scope());
}

Diagnostic error_in(const std::string& text) {
  return diagnostic_of([&] { resolved(text); });
}

TEST(Scope, symbols_are_numbered_in_declaration_order) {
  const Scope scope = example_scope();
  EXPECT_EQ(scope.find("T")->symbol.id, 0);
  EXPECT_EQ(scope.find("matrix")->symbol.id, 1);
  EXPECT_EQ(scope.find("i")->symbol.id, 2);
  EXPECT_EQ(scope.find("j"), nullptr);
  EXPECT_EQ(scope.names(), (std::vector<std::string>{"T", "matrix", "i"}));
}

TEST(Scope, name_is_declared_once) {
  Scope scope = example_scope();
  const Diagnostic d = diagnostic_of([&] { scope.declare("i", Scalar::f32, "buffer", {}); });
  EXPECT_EQ(d.code, "E110");
  EXPECT_EQ(d.message, "the name 'i' is already taken by a dimension");
}

TEST(Scope, built_in_names_are_taken) {
  for (const char* name : {"f32", "bool", "min", "max", "true", "false", "if", "then", "else"}) {
    Scope scope;
    const Diagnostic d = diagnostic_of([&] { scope.declare(name, Scalar::f32, "buffer", {}); });
    EXPECT_EQ(d.code, "E110") << name;
    EXPECT_EQ(d.message, fmt::format("the name '{}' is built in", name));
    EXPECT_EQ(d.hint, "choose another name");
  }
}

TEST(Resolve, variables_get_the_symbol_and_type_of_their_declaration) {
  const Expr e = resolved("matrix");
  EXPECT_TRUE(e == variable({"matrix", 1}, Scalar::f32));
  EXPECT_TRUE(resolved("i + 1").type() == Type(Scalar::i64));
  EXPECT_TRUE(resolved("if i < 3 then matrix else 0.0").type() == Type(Scalar::f32));
}

TEST(Resolve, name_of_a_type_casts) {
  EXPECT_TRUE(resolved("f64(i)") == cast(Scalar::f64, variable({"i", 2}, Scalar::i64)));
  EXPECT_TRUE(resolved("T(i)") == cast(Type(Symbol{"T", 0}), variable({"i", 2}, Scalar::i64)));
}

TEST(Resolve, min_and_max_are_operators) {
  const Expr i = variable({"i", 2}, Scalar::i64);
  EXPECT_TRUE(resolved("min(i, 3)") == binary(BinaryOp::minimum, i, integer(3)));
  EXPECT_TRUE(resolved("max(i, i)") == binary(BinaryOp::maximum, i, i));
}

TEST(Resolve, names_inside_of_calls_are_resolved_too) {
  EXPECT_EQ(error_in("f64(min(i, j))").message, "unknown name 'j'");
}

TEST(Resolve, unknown_name_is_an_error_with_the_nearest_known_one) {
  const Diagnostic d = error_in("1 +\n matrx");
  EXPECT_EQ(d.code, "E111");
  EXPECT_EQ(d.message, "unknown name 'matrx'");
  EXPECT_EQ(d.hint, "did you mean 'matrix'?");
  EXPECT_EQ(to_string(d.where), "t:2:2");
  EXPECT_EQ(error_in("something").hint, "known: T, matrix, i");
}

TEST(Resolve, wrong_number_of_arguments_is_refused) {
  EXPECT_EQ(error_in("min(i)").code, "E112");
  EXPECT_EQ(error_in("min(i)").message, "'min' takes 2 arguments, got 1");
  EXPECT_EQ(error_in("f64(i, i)").message, "'f64' takes 1 argument, got 2");
  EXPECT_EQ(error_in("T()").message, "'T' takes 1 argument, got 0");
}

TEST(Resolve, unknown_function_is_refused) {
  EXPECT_EQ(error_in("mix(i, i)").code, "E113");
  EXPECT_EQ(error_in("mix(i, i)").message, "unknown function 'mix'");
  EXPECT_EQ(error_in("mix(i, i)").hint, "did you mean 'min'?");
  EXPECT_EQ(error_in("matrix(i)").message, "unknown function 'matrix'")
      << "a buffer is no function";
}

TEST(ResolveType, knows_scalars_and_type_parameters) {
  EXPECT_TRUE(resolve_type("u16", {}, example_scope()) == Type(Scalar::u16));
  EXPECT_TRUE(resolve_type("T", {}, example_scope()) == Type(Symbol{"T", 0}));
}

TEST(ResolveType, unknown_type_is_refused_with_the_nearest_one) {
  const auto error_of = [](const char* name) {
    return diagnostic_of([&] { resolve_type(name, {}, example_scope()); });
  };
  EXPECT_EQ(error_of("f31").code, "E114");
  EXPECT_EQ(error_of("f31").message, "unknown type 'f31'");
  EXPECT_EQ(error_of("f31").hint, "did you mean 'f32'?");
  EXPECT_EQ(error_of("matrix").message, "unknown type 'matrix'") << "a buffer is no type";
}

TEST(ResolveType, knows_half_precision) {
  EXPECT_TRUE(resolve_type("f16", {}, example_scope()) == Type(Scalar::f16));
  EXPECT_TRUE(resolve_type("bf16", {}, example_scope()) == Type(Scalar::bf16));
}

}  // namespace
}  // namespace mdh::scalar::resolve_test
