#include "mdh/hl/parse.h"

#include <gtest/gtest.h>

#include "mdh/scalar/print.h"
#include "mdh/support/testing.h"

namespace mdh::hl::parse_test {
namespace {

using scalar::Scalar;

const char* const matvec = R"(mdh 1
// w = M v
program matvec<T: type = f32, I: size = 512, K: size = 4096> =
  out_view( w: T = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }
* inp_view( M: T = [i, k];
            v: T = [k] )
)";

/// A program with one odd piece of text.
std::string with(const std::string& out, const std::string& hom, const std::string& inp) {
  return "mdh 1\nprogram p<N: size = 4> =\n  out_view( " + out + " )\n* md_hom" + hom +
         "\n* inp_view( " + inp + " )\n";
}

Diagnostic error_in(const std::string& text) {
  return diagnostic_of([&] { parse(text, "t.mdh"); });
}

TEST(Parse, reads_the_parameters_of_matvec) {
  const Program p = parse(matvec);
  EXPECT_EQ(p.name, "matvec");
  EXPECT_FALSE(is_concrete(p));
  ASSERT_EQ(p.parameters.size(), 3u);
  EXPECT_EQ(p.parameters[0].kind, Parameter::Kind::type);
  EXPECT_TRUE(p.parameters[0].type == Type(Scalar::f32));
  EXPECT_EQ(p.parameters[1].kind, Parameter::Kind::size);
  EXPECT_EQ(constant(*p.parameters[1].value), std::optional<int64_t>(512));
  EXPECT_EQ(p.parameters[2].symbol.name, "K");
}

TEST(Parse, reads_the_three_functions_of_matvec) {
  const Program p = parse(matvec);
  ASSERT_EQ(p.outputs.size(), 1u);
  ASSERT_EQ(p.inputs.size(), 2u);
  ASSERT_EQ(p.dimensions.size(), 2u);
  EXPECT_EQ(p.outputs[0].accesses[0].index.size(), 1u);
  EXPECT_EQ(p.inputs[0].accesses[0].index.size(), 2u);
  EXPECT_EQ(p.dimensions[0].combine.shape, Shape::concatenate);
  EXPECT_EQ(p.dimensions[1].combine.shape, Shape::pointwise);
  EXPECT_EQ(p.dimensions[1].combine.operators, (std::vector<std::string>{"add"}));
  ASSERT_EQ(p.body.size(), 1u);
  EXPECT_EQ(p.body[0].target, p.outputs[0].accesses[0].symbol);
  EXPECT_EQ(scalar::print(p.body[0].value), "M * v");
}

// Parameters T I K, output w, dimensions i k, inputs M v.
TEST(Parse, symbols_are_numbered_in_declaration_order) {
  const Program p = parse(matvec);
  EXPECT_EQ(p.parameters[0].symbol, (Symbol{"T", 0}));
  EXPECT_EQ(p.parameters[2].symbol, (Symbol{"K", 2}));
  EXPECT_EQ(p.outputs[0].symbol, (Symbol{"w", 3}));
  EXPECT_EQ(p.dimensions[0].symbol, (Symbol{"i", 4}));
  EXPECT_EQ(p.dimensions[1].symbol, (Symbol{"k", 5}));
  EXPECT_EQ(p.inputs[0].symbol, (Symbol{"M", 6}));
  EXPECT_EQ(p.inputs[1].symbol, (Symbol{"v", 7}));
  EXPECT_EQ(p.body[0].value.as<scalar::Binary>()->right.as<scalar::Variable>()->symbol,
            (Symbol{"v", 7}));
  EXPECT_TRUE(p.inputs[0].type == Type(Symbol{"T", 0}));
}

TEST(Parse, single_access_is_called_like_its_buffer_and_several_are_numbered) {
  const Program p = parse(with("y: f32 = [i]", "( i: N by cc ) { y = x.1 + x.2 + m; }",
                               "x: f32 = [i], [i + 1]; z: f32 = m: [i]"));
  EXPECT_EQ(p.outputs[0].accesses[0].symbol, p.outputs[0].symbol);
  EXPECT_EQ(p.inputs[0].accesses[0].symbol.name, "x.1");
  EXPECT_EQ(p.inputs[0].accesses[1].symbol.name, "x.2");
  EXPECT_EQ(p.inputs[1].accesses[0].symbol.name, "m");
}

TEST(Parse, declared_extents_and_accesses_to_single_numbers_are_read) {
  const Program p =
      parse(with("y: f64 = []", "( i: N by pw(max) ) { y = x; }", "x: f64[N + 1, 3] = [i, 2]"));
  EXPECT_TRUE(p.outputs[0].accesses[0].index.empty());
  ASSERT_EQ(p.inputs[0].declared.size(), 2u);
  EXPECT_EQ(scalar::print(p.inputs[0].declared[0]), "N + 1");
}

TEST(Parse, concrete_program_is_typed_and_verified_at_once) {
  const Program p = parse(
      "mdh 1 program p = out_view( y: f32 = [i] ) * md_hom( i: 2 + 3 by cc ) { y = 2 * x; } "
      "* inp_view( x: f32 = [i] )");
  EXPECT_TRUE(is_concrete(p));
  EXPECT_EQ(constant(p.dimensions[0].size), std::optional<int64_t>(5));
  EXPECT_TRUE(p.body[0].value.as<scalar::Binary>()->left.type() == Type(Scalar::f32));
  EXPECT_EQ(error_in("mdh 1 program p = out_view( y: f32 = [i] ) * md_hom( i: 0 by cc ) { y = x; } "
                     "* inp_view( x: f32 = [i] )")
                .code,
            "E215");
}

TEST(Parse, program_without_dimensions_or_inputs_is_read) {
  const Program p =
      parse("mdh 1 program p = out_view( y: i32 = [] ) * md_hom() { y = 42; } * inp_view()");
  EXPECT_TRUE(p.dimensions.empty());
  EXPECT_TRUE(p.inputs.empty());
}

TEST(Parse, syntax_errors_say_what_was_expected_where) {
  const Diagnostic d = error_in(with("y f32 = [i]", "( i: N by cc ) { y = x; }", "x: f32 = [i]"));
  EXPECT_EQ(d.code, "E103");
  EXPECT_EQ(d.message, "expected ':' and a type after buffer 'y', found 'f32'");
  EXPECT_EQ(to_string(d.where), "t.mdh:3:15");
  EXPECT_EQ(error_in(with("y: f32 = [i]", "( i: N ) { y = x; }", "x: f32 = [i]")).message,
            "expected 'by' and a combine operator after the size of 'i', found ')'");
  EXPECT_EQ(error_in(fmt::format("{}more", matvec)).message,
            "expected the end after the program, found 'more'");
}

TEST(Parse, other_versions_of_the_text_form_are_refused) {
  EXPECT_EQ(error_in("mdh 2 program").message, "version 2 of the text form is unknown");
  EXPECT_EQ(error_in("program p").message,
            "expected 'mdh' in the first line ('mdh 1'), found 'program'");
}

TEST(Parse, type_parameter_does_not_mention_itself) {
  EXPECT_EQ(error_in("mdh 1 program p<T: type = T> = ").message, "unknown type 'T'");
}

TEST(Parse, names_of_lets_are_new) {
  const auto target = [](const char* name) {
    return error_in(with("y: f32 = [i]", fmt::format("( i: N by cc ) {{ {} = 1.0; y = x; }}", name),
                         "x: f32 = [i]"));
  };
  for (const char* name : {"x", "i", "N"}) {
    EXPECT_EQ(target(name).code, "E110") << name;
    EXPECT_EQ(target(name).message.substr(0, 32),
              fmt::format("the name '{}' is already taken by", name));
    EXPECT_EQ(to_string(target(name).where), "t.mdh:4:26") << name;
  }
  EXPECT_EQ(target("other").message, "(no error was raised)");
}

TEST(Parse, md_hom_returns_nothing) {
  const Diagnostic d =
      error_in(with("y: f32 = [i]", "( i: N by cc ) { return x; }", "x: f32 = [i]"));
  EXPECT_EQ(d.code, "E205");
  EXPECT_EQ(d.message, "md_hom assigns its outputs instead of returning a value");
}

}  // namespace
}  // namespace mdh::hl::parse_test
