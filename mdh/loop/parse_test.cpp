#include "mdh/loop/parse.h"

#include <gtest/gtest.h>

#include "mdh/loop/test_programs.h"

namespace mdh::loop {
namespace {

/// "line:column code message | hint"
std::string complaint(const std::string& text) {
  const Diagnostic d = diagnostic_of([&] { parse(text, "p.loop.mdh"); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_TRUE(d.where.file && *d.where.file == "p.loop.mdh");
  return fmt::format("{}:{} {} {}{}", d.where.line, d.where.column, d.code, d.message,
                     d.hint.empty() ? "" : " | " + d.hint);
}

/// As above, for statements that stand in line 1 of the body.
std::string complaint_about(const std::string& statements) {
  std::string text = rows;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return complaint(text + "\nbody {\n" + statements + "\n}");
}

const std::string grammar = " | see the grammar in docs/ir/high_level.md";

TEST(LoopParse, declarations_are_read) {
  const Program p = parse(R"(mdh_loop 1
kernel any
dimension i < 5
dimension k < 7 reduced
buffer output y: f32[5]
buffer input x: u8[]
buffer workspace t: bool[2, 3]
function f(x: u8, i: i64, k: i64) { y: f32 = f32(x) * 0.5; }
function combine(l: f32, r: f32) { x: f32 = max(l, r); }
body { })");
  EXPECT_EQ(p.name, "any");
  EXPECT_EQ(p.dimensions, (std::vector<Dimension>{{named("i"), 5, false}, {named("k"), 7, true}}));
  EXPECT_EQ(p.buffers,
            (std::vector<Buffer>{{named("y"), scalar::Scalar::f32, {5}, Role::output},
                                 {named("x"), scalar::Scalar::u8, {}, Role::input},
                                 {named("t"), scalar::Scalar::boolean, {2, 3}, Role::workspace}}));
  ASSERT_EQ(p.f.parameters.size(), 3u);
  EXPECT_EQ(p.f.parameters[0].symbol, named("x"));
  EXPECT_EQ(p.f.parameters[0].type, scalar::Type(scalar::Scalar::u8));
  ASSERT_EQ(p.f.results.size(), 1u);
  EXPECT_EQ(p.f.results[0].target, named("y"));
  EXPECT_EQ(p.combine.name, "combine");
  EXPECT_TRUE(p.body.empty());
}

TEST(LoopParse, digits_know_the_number_of_their_dimension) {
  const Program p = rows_with("deal (COR.i a < 3 of i step 2, L1.k b < 2 of k step 5) { }");
  const Deal* deal = p.body.at(0).as<Deal>();
  ASSERT_NE(deal, nullptr);
  EXPECT_EQ(deal->digits,
            (std::vector<Digit>{{named("a"), "COR.i", 0, 3, 2}, {named("b"), "L1.k", 1, 2, 5}}));
}

TEST(LoopParse, versions_other_than_1_are_refused) {
  EXPECT_EQ(complaint("mdh_loop 2\nkernel x"),
            "1:10 E206 version 2 of the text form is unknown | this mdh reads 'mdh_loop 1'");
  EXPECT_EQ(complaint("mdh_loop kernel"),
            "1:10 E103 expected an integer after 'mdh_loop', found 'kernel'" + grammar);
  EXPECT_EQ(complaint("mdh 1"),
            "1:1 E103 expected 'mdh_loop' in the first line ('mdh_loop 1'), found 'mdh'" + grammar);
}

TEST(LoopParse, declarations_that_cannot_be_read_are_refused) {
  const std::string begin = "mdh_loop 1 kernel x\n";
  EXPECT_EQ(complaint(begin + "dimension i <= 4"),
            "2:13 E103 expected '<' after the dimension, found '<='" + grammar);
  EXPECT_EQ(complaint(begin + "dimension i < n"),
            "2:15 E103 expected an integer (the size), found 'n'" + grammar);
  EXPECT_EQ(
      complaint(begin + "buffer result y: f32[]"),
      "2:8 E103 expected output, input or workspace after 'buffer', found 'result'" + grammar);
  EXPECT_EQ(complaint(begin + "buffer output y: f32[i]"),
            "2:22 E103 expected an integer (an extent), found 'i'" + grammar);
  EXPECT_EQ(complaint(begin + "buffer output y: f31[]"),
            "2:18 E114 unknown type 'f31' | did you mean 'f32'?");
  EXPECT_EQ(complaint(begin + "function g() { }"),
            "2:10 E103 expected 'f' after 'function', found 'g'" + grammar);
  EXPECT_EQ(complaint(begin + "function f() { } function combine() { } body { } body"),
            "2:50 E103 expected the end after the body, found 'body'" + grammar);
  EXPECT_EQ(complaint(begin + "function f() { }"),
            "2:17 E103 expected 'function' here, found end of text | the text ends too early");
}

TEST(LoopParse, functions_know_their_parameters_only) {
  const std::string begin = "mdh_loop 1 kernel x\nfunction f(a: f32) { y: f32 = ";
  EXPECT_EQ(complaint(begin + "a + b; }"), "2:35 E111 unknown name 'b'");
  EXPECT_EQ(complaint(begin + "sort(a); }").substr(0, 36), "2:31 E113 unknown function 'sort' | ");
  EXPECT_EQ(complaint(begin + "min(a); }"),
            "2:31 E112 'min' takes 2 arguments, got 1 | give one expression per parameter");
  EXPECT_EQ(complaint(begin + "a == a; }"),
            "2:33 E120 'a == a' has type bool, but f32 is needed here | convert it explicitly: "
            "f32(a == a)");
}

TEST(LoopParse, unknown_statements_are_refused) {
  EXPECT_EQ(complaint_about("barier;"), "3:1 E401 unknown statement 'barier'");
  EXPECT_EQ(complaint_about("deal () { while L1.i { } }"), "3:11 E401 unknown statement 'while'");
}

TEST(LoopParse, digits_of_unknown_dimensions_are_refused) {
  EXPECT_EQ(complaint_about("sequential L1.j p < 3 of j step 1 { }"),
            "3:26 E402 unknown dimension 'j'");
  EXPECT_EQ(complaint_about("deal (COR.i a < 3 of x step 1) { }"),
            "3:22 E402 unknown dimension 'x'");
}

TEST(LoopParse, programs_that_do_not_verify_are_refused) {
  const std::string text = complaint_about("deal () { barrier; }");
  EXPECT_EQ(text.substr(0, text.rfind(" (")),
            "1:1 E403 not a well-formed loop program: a barrier inside of Deal");
}

TEST(LoopParse, statements_that_cannot_be_read_are_refused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"barrier }", "3:9 E103 expected ';' after the statement, found '}'"},
      {"3;", "3:1 E103 expected a name of a statement, found '3'"},
      {"sequential L1 p < 3 of i step 1 { }", "3:15 E103 expected '.' after the layer, found 'p'"},
      {"cores L1.i p < 3 of i { }", "3:23 E103 expected 'step' after the dimension, found '{'"},
      {"lanes L1.i p < 3 step 1 { }",
       "3:18 E103 expected 'of' after the number of parts, found 'step'"},
      {"for L1.i p < 3 { }",
       "3:16 E103 expected sequential, unrolled or lanes after the bound, found '{'"},
      {"for L1.i p < 3 cores { }",
       "3:16 E103 expected sequential, unrolled or lanes after the bound, found 'cores'"},
      {"deal COR.i", "3:6 E103 expected '(' to begin the digits, found 'COR'"},
      {"deal ()", "4:1 E103 expected '{' to begin a block, found '}'"},
      {"let i 3;", "3:7 E103 expected '=' after the name, found '3'"},
      {"load a = x;", "3:11 E103 expected '[' to begin the index, found ';'"},
      {"store y[0] a;", "3:12 E103 expected '=' after the element, found 'a'"},
      {"apply r = g(a; 0);", "3:11 E103 expected 'f' after '=', found 'g'"},
      {"apply r = f(a, 0);", "3:16 E103 expected a name in the list, found '0'"},
      {"combine n = (o, r);", "3:18 E103 expected ';' after the list, found ')'"},
      {"accumulate (y[i]) from (x[i, k]);",
       "3:19 E103 expected 'first' after the target's elements, found 'from'"},
      {"write_up (y[i]) first ();", "3:25 E103 expected 'from' after the target, found ';'"},
      {"team_combine COR.k c < 4 of k step 1 (y[i])",
       "3:38 E103 expected 'elements' after the digit, found '('"},
      {"if 1 < 2 barrier;", "3:10 E103 expected '{' to begin a block, found 'barrier'"},
  };
  for (const auto& [statement, expected] : cases) {
    EXPECT_EQ(complaint_about(statement), expected + grammar);
  }
}

TEST(LoopParse, blocks_that_are_nested_too_deeply_are_refused) {
  std::string open, close;
  for (int n = 0; n < 100000; ++n) open += "if 1 < 2 { ", close += "}";
  EXPECT_EQ(complaint_about(open + close),
            "3:2199 E103 expected a simpler body (nested too deeply), found '{'" + grammar);
}

TEST(LoopParse, errors_of_the_lexer_and_of_expressions_have_their_place) {
  EXPECT_EQ(complaint_about("let a = 3 # 4;"),
            "3:11 E101 unexpected character '#' | remove it; comments begin with //");
  EXPECT_EQ(complaint_about("let a = 3b;"),
            "3:9 E102 a number must not run into a name | put a blank or an operator between them");
  EXPECT_EQ(complaint_about("let a = 3 +;"),
            "3:12 E103 expected an expression here, found ';'" + grammar);
  EXPECT_EQ(complaint_about("let a = 0.5;"),
            "3:9 E121 the literal 0.5 has no exact value of type i64 | use an integer in range, or "
            "cast");
  EXPECT_EQ(complaint_about("if 3 { }"),
            "3:4 E120 '3' has type i64, but bool is needed here | convert it explicitly: bool(3)");
  EXPECT_EQ(complaint_about("let a = 1 < 2;"),
            "3:11 E103 expected ';' after the statement, found '<'" + grammar);
}

}  // namespace
}  // namespace mdh::loop
