#include "mdh/hl/instantiate.h"

#include <gtest/gtest.h>

#include "mdh/hl/analysis.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"
#include "mdh/support/testing.h"

namespace mdh::hl::instantiate_test {
namespace {

using scalar::Scalar;
using scalar::Value;
using Sizes = std::vector<int64_t>;

const char* const matvec = R"(mdh 1
program matvec<T: type = f32, I: size = 512, K: size> =
  out_view( w: T = [i] ) * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }
* inp_view( M: T = [i, k]; v: T = [k] ))";

/// y[i] = c * x[i], with any parameters.
Program scaled(const std::string& parameters, const Bindings& bindings = {}) {
  return instantiate(
      parse("mdh 1\nprogram scaled<" + parameters +
                "> =\n  out_view( y: T = [i] ) * md_hom( i: N by cc ) { y = c * x; } "
                "* inp_view( x: T = [i] )",
            "t.mdh"),
      bindings);
}

Expr factor(const Program& p) { return p.body[0].value.as<scalar::Binary>()->left; }

Diagnostic error_of(const std::string& parameters, const Bindings& bindings = {}) {
  return diagnostic_of([&] { scaled(parameters, bindings); });
}

TEST(Instantiate, what_is_not_bound_takes_its_default) {
  const Program p = instantiate(parse(matvec), {.sizes = {{"K", 7}}});
  EXPECT_TRUE(is_concrete(p));
  EXPECT_EQ(sizes(p), (Sizes{512, 7}));
  EXPECT_TRUE(p.inputs[0].type == Type(Scalar::f32));
  EXPECT_TRUE(p.body[0].value.type() == Type(Scalar::f32));
}

TEST(Instantiate, bindings_win_over_defaults) {
  const Program p =
      instantiate(parse(matvec), {.types = {{"T", Scalar::i64}}, .sizes = {{"I", 3}, {"K", 7}}});
  EXPECT_EQ(sizes(p), (Sizes{3, 7}));
  EXPECT_TRUE(p.outputs[0].type == Type(Scalar::i64));
}

TEST(Instantiate, equals_the_program_written_without_parameters) {
  const Program p = instantiate(parse(matvec), {.sizes = {{"I", 3}, {"K", 7}}});
  EXPECT_TRUE(p == parse(R"(mdh 1
program matvec = out_view( w: f32 = [i] ) * md_hom( i: 3 by cc, k: 7 by pw(add) ) { w = M * v; }
* inp_view( M: f32 = [i, k]; v: f32 = [k] ))"))
      << print(p);
}

TEST(Instantiate, defaults_may_mention_earlier_parameters) {
  const std::string parameters = "T: type = f64, N: size = 5, M: size = 2 * N + 1, c: T = 0.5";
  EXPECT_EQ(sizes(scaled(parameters)), (Sizes{5}));
  const Program p = instantiate(parse(R"(mdh 1
program p<N: size = 5, M: size = 2 * N + 1, c: i64 = M * 10> =
  out_view( y: i64 = [i] ) * md_hom( i: M by cc ) { y = c; } * inp_view())"),
                                {.sizes = {{"N", 3}}});
  EXPECT_EQ(sizes(p), (Sizes{7}));
  EXPECT_EQ(constant(p.body[0].value), std::optional<int64_t>(70));
}

TEST(Instantiate, sizes_stand_in_index_functions_and_extents) {
  const Program p = instantiate(parse(R"(mdh 1
program p<N: size = 5> = out_view( y: f32[N + 2] = [i] ) * md_hom( i: N by cc ) { y = x; }
* inp_view( x: f32 = [N - 1 - i] ))"),
                                {.sizes = {{"N", 3}}});
  EXPECT_EQ(constant(p.outputs[0].declared[0]), std::optional<int64_t>(5));
  EXPECT_EQ(scalar::print(p.inputs[0].accesses[0].index[0]), "2 - i");
}

TEST(Instantiate, constants_are_evaluated_in_their_type) {
  const Expr third = factor(scaled("T: type = f32, N: size = 5, c: T = 1.0 / 3.0"));
  EXPECT_TRUE(third == scalar::literal(Scalar::f32, Value::floating(1.0f / 3.0f)));
  const Expr wrapped = factor(scaled("T: type = u8, N: size = 5, c: T = 200 + 100"));
  EXPECT_TRUE(wrapped == scalar::literal(Scalar::u8, Value::integer(44)));
}

TEST(Instantiate, constants_are_bound_to_expressions) {
  const Program p = scaled("T: type = f32, N: size = 5, c: T",
                           {.values = {{"c", scalar::parse_expression("1 / 4.0")}}});
  EXPECT_TRUE(factor(p) == scalar::literal(Scalar::f32, Value::floating(0.25)));
}

TEST(Instantiate, symbols_are_numbered_anew) {
  const Program p = scaled("T: type = f32, N: size = 5, c: T = 2");
  EXPECT_EQ(p.outputs[0].symbol, (Symbol{"y", 0}));
  EXPECT_EQ(p.dimensions[0].symbol, (Symbol{"i", 1}));
  EXPECT_EQ(p.inputs[0].symbol, (Symbol{"x", 2}));
}

TEST(InstantiateErrors, unknown_parameters_are_refused_with_the_nearest_one) {
  const Diagnostic size = error_of("T: type = f32, N: size = 5, c: T = 2", {.sizes = {{"M", 3}}});
  EXPECT_EQ(size.code, "E210");
  EXPECT_EQ(size.message, "program 'scaled' has no size 'M'");
  EXPECT_EQ(size.hint, "did you mean 'N'?");
  EXPECT_EQ(error_of("T: type = f32, N: size = 5, c: T = 2", {.sizes = {{"c", 3}}}).message,
            "program 'scaled' has no size 'c'");
  EXPECT_EQ(
      error_of("T: type = f32, N: size = 5, c: T = 2", {.types = {{"U", Scalar::f64}}}).message,
      "program 'scaled' has no type 'U'");
  EXPECT_EQ(
      error_of("T: type = f32, N: size = 5, c: T = 2", {.values = {{"d", scalar::integer(1)}}})
          .message,
      "program 'scaled' has no constant 'd'");
}

TEST(InstantiateErrors, every_parameter_needs_a_value) {
  const Diagnostic d = error_of("T: type = f32,\n N: size, c: T = 2");
  EXPECT_EQ(d.code, "E211");
  EXPECT_EQ(d.message, "size 'N' of program 'scaled' has no value");
  EXPECT_EQ(d.hint, "give it one: --size N=64");
  EXPECT_EQ(to_string(d.where), "t.mdh:3:2");
  EXPECT_EQ(error_of("T: type, N: size = 1, c: T = 2").message,
            "type 'T' of program 'scaled' has no value");
  EXPECT_EQ(error_of("T: type = f32, N: size = 1, c: T").message,
            "constant 'c' of program 'scaled' has no value");
}

TEST(InstantiateErrors, sizes_are_at_least_1) {
  for (const int64_t n : {0, -1, -5}) {
    const Diagnostic d = error_of("T: type = f32, N: size = 5, c: T = 2", {.sizes = {{"N", n}}});
    EXPECT_EQ(d.code, "E215") << n;
    EXPECT_EQ(d.message, fmt::format("size 'N' is {}, but sizes are at least 1", n));
  }
  EXPECT_EQ(error_of("T: type = f32, N: size = 5, M: size = N - 5, c: T = 2").message,
            "size 'M' is 0, but sizes are at least 1")
      << "also one that is no dimension";
}

TEST(Instantiate, defaults_may_be_loops) {
  const Program p = parse(
      "mdh 1 program p<c: i64 = (loop (k = 1) while (k < 100) { k = 3 * k } yield k)> ="
      " out_view( y: i64 = [i] ) * md_hom( i: 2 by cc ) { y = c; } * inp_view()");
  EXPECT_EQ(constant(instantiate(p, {}).body[0].value), 243);
}

TEST(InstantiateErrors, defaults_mention_nothing_that_is_declared_later) {
  const Diagnostic later = error_of("T: type = f32, N: size = M, M: size = 3, c: T = 2");
  EXPECT_EQ(later.code, "E218");
  EXPECT_EQ(later.message, "'M' has no value in the default of 'N'");
  EXPECT_EQ(error_of("T: type = f32, N: size = 3, c: T = 2 * d, d: T = 1").message,
            "'d' has no value in the default of 'c'");
  EXPECT_EQ(error_of("T: type = f32, N: size = 3, c: T = x").message,
            "'x' has no value in the default of 'c'");
  EXPECT_EQ(error_of("T: type = f32, N: size = 3, c: T = c").message,
            "'c' has no value in the default of 'c'");
}

TEST(InstantiateErrors, value_that_divides_by_zero_is_refused_where_it_stands) {
  const Diagnostic d = error_of("T: type = i32, N: size = 3,\n  c: T = 1 / 0");
  EXPECT_EQ(d.code, "E130");
  EXPECT_EQ(to_string(d.where), "t.mdh:3:12");
}

TEST(InstantiateErrors, value_must_be_finite) {
  const Diagnostic d = error_of("T: type = f32, N: size = 3, c: T = 1.0 / 0.0");
  EXPECT_EQ(d.code, "E219");
  EXPECT_EQ(d.message, "not supported: the value inf of constant 'c'");
}

TEST(InstantiateErrors, value_must_have_the_declared_type) {
  EXPECT_EQ(error_of("T: type = i32, N: size = 3, c: T = 1.0 / 3.0").code, "E121");
  EXPECT_EQ(error_of("T: type = f32, N: size = 3, c: T = N").message,
            "'3' has type i64, but f32 is needed here");
}

TEST(SizesByDimension, nth_value_binds_the_size_of_the_nth_dimension) {
  EXPECT_EQ(sizes_by_dimension(parse(matvec), {7, 13}),
            (std::map<std::string, int64_t>{{"I", 7}, {"K", 13}}));
}

TEST(SizesByDimension, number_of_values_must_fit) {
  const Diagnostic d = diagnostic_of([] { sizes_by_dimension(parse(matvec), {7}); });
  EXPECT_EQ(d.code, "E212");
  EXPECT_EQ(d.message, "program 'matvec' has 2 dimensions (i, k), got 1 size");
}

const char* const square = R"(mdh 1
program square<N: size = 3> = out_view( y: f32 = [i, j] )
* md_hom( i: N by cc, j: N by cc ) { y = x; } * inp_view( x: f32 = [j, i] ))";

TEST(SizesByDimension, dimensions_that_share_a_size_agree) {
  EXPECT_EQ(sizes_by_dimension(parse(square), {4, 4}), (std::map<std::string, int64_t>{{"N", 4}}));
  const Diagnostic d = diagnostic_of([] { sizes_by_dimension(parse(square), {4, 5}); });
  EXPECT_EQ(d.code, "E213");
  EXPECT_EQ(d.message, "dimension 'j' has the size 'N' of an earlier one, which is 4, not 5");
}

TEST(SizesByDimension, dimension_whose_size_is_computed_is_refused) {
  const Program p = parse(R"(mdh 1
program p<N: size = 3, M: size = 4> = out_view( y: f32 = [i] ) * md_hom( i: N + M by cc ) { y = x; }
* inp_view( x: f32 = [i] ))");
  const Diagnostic d = diagnostic_of([&] { sizes_by_dimension(p, {4}); });
  EXPECT_EQ(d.code, "E213");
  EXPECT_EQ(d.message, "the size of dimension 'i' is not a parameter of its own");
  EXPECT_EQ(d.hint, "give sizes by name: --size N=..,M=..");
}

}  // namespace
}  // namespace mdh::hl::instantiate_test
