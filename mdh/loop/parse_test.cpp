#include "mdh/loop/parse.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mdh/loop/test_programs.h"

namespace mdh::loop::parse_test {
namespace {

/// "line:column code message | hint"
std::string complaint(const std::string& text) {
  const Diagnostic d = diagnostic_of([&] { parse(text, "p.loop.mdh"); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_TRUE(d.where.file && *d.where.file == "p.loop.mdh");
  return fmt::format("{}:{} {} {}{}", d.where.line, d.where.column, d.code, d.message,
                     d.hint.empty() ? "" : " | " + d.hint);
}

/// As above, for statements that stand in line 2, after the declarations in line 1.
std::string complaint_about(const std::string& statements) {
  std::string text = rows_text("", {"digit c: COR.k < 2 of k step 2 cores\n", {}});
  text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return complaint(text + "\n" + statements + "\n}");
}

const std::string grammar = " | see the grammar in docs/ir/high_level.md";

TEST(LoopParse, declarations_are_read) {
  const Program p = parse(R"(mdh_loop 1
kernel any
dimension i < 5 kept
dimension k < 7 reduced
dimension s < 2 scanned
digit a: COR.i < 3 of i step 2 cores
digit b: L1.k < 2 of k step 5 lanes
buffer output y: f32[5]
buffer input x: u8[]
buffer temporary t: bool[2, 3] in SM of group per (a, b) holds 4 depth 2
function f(x: u8, i: i64, k: i64, s: i64) { y: f32 = f32(x) * 0.5; }
function combine(l: f32, r: f32) { x: f32 = max(l, r); }
body { })");
  EXPECT_EQ(p.name, "any");
  EXPECT_EQ(p.dimensions, (std::vector<Dimension>{{named("i"), 5, Kind::kept},
                                                  {named("k"), 7, Kind::reduced},
                                                  {named("s"), 2, Kind::scanned}}));
  EXPECT_EQ(p.digits, (std::vector<Digit>{{named("a"), "COR.i", 0, 3, 2, How::cores},
                                          {named("b"), "L1.k", 1, 2, 5, How::lanes}}));
  EXPECT_EQ(p.buffers, (std::vector<Buffer>{{named("y"), scalar::Scalar::f32, {5}, Role::output},
                                            {named("x"), scalar::Scalar::u8, {}, Role::input},
                                            {.symbol = named("t"),
                                             .type = scalar::Scalar::boolean,
                                             .extents = {2, 3},
                                             .role = Role::temporary,
                                             .region = "SM",
                                             .scope = Scope::group,
                                             .per = {named("a"), named("b")},
                                             .holds = 4,
                                             .depth = 2}}));
  ASSERT_EQ(p.f.parameters.size(), 4u);
  EXPECT_EQ(p.f.parameters[0].symbol, named("x"));
  EXPECT_EQ(p.f.parameters[0].type, scalar::Type(scalar::Scalar::u8));
  ASSERT_EQ(p.f.results.size(), 1u);
  EXPECT_EQ(p.f.results[0].target, named("y"));
  EXPECT_EQ(p.combine.name, "combine");
  EXPECT_TRUE(p.body.empty());
}

TEST(LoopParse, shares_are_counters_and_collective_is_told) {
  const Program p = rows_with("deal all (p < 3, n < 5) { } deal cores () collective { }");
  const Deal* deal = p.body.at(0).as<Deal>();
  ASSERT_NE(deal, nullptr);
  EXPECT_EQ(deal->team, Team::all);
  EXPECT_EQ(deal->shares, (std::vector<Counter>{{named("p"), 3}, {named("n"), 5}}));
  EXPECT_FALSE(deal->collective);
  EXPECT_TRUE(p.body.at(1).as<Deal>()->collective);
}

TEST(LoopParse, shares_are_dealt_in_blocks_to_all_cores_unless_told_otherwise) {
  const Program p = rows_with("deal cores () { } deal cores (n < 5) collective dynamic on 3 { }");
  const Deal* plain = p.body.at(0).as<Deal>();
  const Deal* told = p.body.at(1).as<Deal>();
  EXPECT_EQ(plain->dealing, Dealing::block);
  EXPECT_EQ(plain->on, 0);
  EXPECT_TRUE(told->collective);
  EXPECT_EQ(told->dealing, Dealing::dynamic);
  EXPECT_EQ(told->on, 3);
}

TEST(LoopParse, cores_of_a_layer_have_a_number_and_a_way_of_dealing) {
  const std::string digits =
      "digit c: COR.i < 3 of i step 1 cores\ndigit d: COR.k < 4 of k step 1 cores\n";
  const Program p = rows_with("", {digits + "cores COR (c, d) cyclic on 5\n", {}});
  EXPECT_EQ(p.cores, (std::vector<Cores>{{"COR", {named("c"), named("d")}, Dealing::cyclic, 5}}));
  EXPECT_EQ(rows_with("", {digits + "cores COR (c) block\n", {}}).cores.at(0).count, 0);
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
  const std::string i = "dimension i < 4 kept\n";
  const std::string buffer = "buffer temporary t: i64[] ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"dimension i <= 4", "2:13 E103 expected '<' after the dimension, found '<='"},
      {"dimension i < n", "2:15 E103 expected an integer (the size), found 'n'"},
      {"dimension i < 4 wide",
       "2:17 E103 expected kept, reduced or scanned after the size, found 'wide'"},
      {i + "cores COR () even",
       "3:14 E103 expected block, cyclic or dynamic after the digits, found 'even'"},
      {i + "digit a COR.i", "3:9 E103 expected ':' after the digit, found 'COR'"},
      {i + "digit a: COR < 2", "3:14 E103 expected '.' after the layer, found '<'"},
      {i + "digit a: COR.i 2", "3:16 E103 expected '<' after the level, found '2'"},
      {i + "digit a: COR.i < i", "3:18 E103 expected an integer (the number of parts), found 'i'"},
      {i + "digit a: COR.i < 2 step 1",
       "3:20 E103 expected 'of' after the number of parts, found 'step'"},
      {i + "digit a: COR.i < 2 of i cores",
       "3:25 E103 expected 'step' after the dimension, found 'cores'"},
      {i + "digit a: COR.i < 2 of i step 1 fast",
       "3:32 E103 expected sequential, grid, cores, unrolled or lanes after the step, found "
       "'fast'"},
      {"buffer result y: f32[]",
       "2:8 E103 expected output, input or temporary after 'buffer', found 'result'"},
      {"buffer output y: f32[i]", "2:22 E103 expected an integer (an extent), found 'i'"},
      {buffer + "per ()", "2:27 E103 expected 'in' before the region, found 'per'"},
      {buffer + "in L1 per ()", "2:33 E103 expected 'of' after the region, found 'per'"},
      {buffer + "in L1 of me",
       "2:36 E103 expected all, group, core or registers after 'of', found 'me'"},
      {buffer + "in L1 of core holds 2", "2:41 E103 expected 'per' after the scope, found 'holds'"},
      {buffer + "in L1 of core per cor_i",
       "2:45 E103 expected '(' to begin the names, found 'cor_i'"},
      {buffer + "in L1 of core per () holds all",
       "2:54 E103 expected an integer (the elements kept), found 'all'"},
      {buffer + "in L1 of core per () depth deep",
       "2:54 E103 expected an integer (the copies in flight), found 'deep'"},
      // Only temporaries have a region.
      {"buffer output y: f32[] in L1", "2:24 E103 expected 'function' here, found 'in'"},
      {"function g() { }", "2:10 E103 expected 'f' after 'function', found 'g'"},
      {"function f() { } function combine() { } body { } body",
       "2:50 E103 expected the end after the body, found 'body'"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(complaint(begin + text), expected + grammar);
  EXPECT_EQ(complaint(begin + "buffer output y: f31[]"),
            "2:18 E114 unknown type 'f31' | did you mean 'f32'?");
  EXPECT_EQ(complaint(begin + "function f() { }"),
            "2:17 E103 expected 'function' here, found end of text | the text ends too early");
  EXPECT_EQ(complaint(begin + i + "digit a: COR.x < 3 of x step 1 cores"),
            "3:23 E402 unknown dimension 'x'");
}

TEST(LoopParse, functions_know_their_parameters_only) {
  const std::string begin = "mdh_loop 1 kernel x\nfunction f(a: f32) { y: f32 = ";
  EXPECT_EQ(complaint(begin + "a + b; }"), "2:35 E111 unknown name 'b' | did you mean 'a'?");
  EXPECT_EQ(complaint(begin + "sort(a); }").substr(0, 36), "2:31 E113 unknown function 'sort' | ");
  EXPECT_EQ(complaint(begin + "min(a); }"),
            "2:31 E112 'min' takes 2 arguments, got 1 | give one expression per parameter");
  EXPECT_EQ(complaint(begin + "a == a; }"),
            "2:33 E120 'a == a' has type bool, but f32 is needed here | convert it explicitly: "
            "f32(a == a)");
}

TEST(LoopParse, records_are_defined_before_they_are_used) {
  const std::string begin = "mdh_loop 1 kernel x\n";
  EXPECT_EQ(complaint(begin + "buffer output y: best[]").substr(0, 28),
            "2:18 E114 unknown type 'best");
  EXPECT_EQ(complaint(begin + "record best { }"),
            "2:8 E250 record 'best' has no fields | a record has at least one field");
  EXPECT_EQ(complaint(begin + "record best { at: i64; }\nfunction f(a: best) { y: i64 = a.it; }")
                .substr(0, 8),
            "3:33 E12");
  EXPECT_EQ(complaint(begin + "function f(a: f32) { b = a; b = a; y: f32 = b; }").substr(0, 9),
            "2:29 E110");
}

TEST(LoopParse, unknown_statements_are_refused) {
  EXPECT_EQ(complaint_about("barier cores;"), "2:1 E401 unknown statement 'barier'");
  EXPECT_EQ(complaint_about("deal cores () { while L1.i { } }"),
            "2:17 E401 unknown statement 'while'");
}

TEST(LoopParse, programs_that_do_not_verify_are_refused) {
  const std::string text = complaint_about("deal cores () { barrier cores; }");
  EXPECT_EQ(text.substr(0, text.rfind(" (")),
            "1:1 E403 not a well-formed loop program: a barrier inside of Deal");
}

TEST(LoopParse, statements_that_cannot_be_read_are_refused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"barrier cores }", "2:15 E103 expected ';' after the statement, found '}'"},
      {"barrier;", "2:8 E103 expected grid, cores, all or warp here, found ';'"},
      {"3;", "2:1 E103 expected a name of a statement, found '3'"},
      {"loop 3 { }", "2:6 E103 expected a name of a digit, found '3'"},
      {"loop p", "3:1 E103 expected '{' to begin a block, found '}'"},
      {"alloc ;", "2:7 E103 expected a name of a buffer, found ';'"},
      {"for L1.i p < 3 { }",
       "2:16 E103 expected sequential, unrolled or lanes after the bound, found '{'"},
      {"for L1.i p < 3 cores { }",
       "2:16 E103 expected sequential, unrolled or lanes after the bound, found 'cores'"},
      {"for L1.i p < 3 grid { }",
       "2:16 E103 expected sequential, unrolled or lanes after the bound, found 'grid'"},
      {"for p < 3 sequential { }", "2:7 E103 expected '.' after the layer, found '<'"},
      {"deal (p < 3) { }", "2:6 E103 expected grid, cores, all or warp here, found '('"},
      {"deal cores p", "2:12 E103 expected '(' to begin the counters, found 'p'"},
      {"deal cores (p 3) { }", "2:15 E103 expected '<' after the counter, found '3'"},
      {"deal cores (p < q) { }", "2:17 E103 expected an integer (how often it counts), found 'q'"},
      {"deal cores (p < 3 { }", "2:19 E103 expected ')' after the counters, found '{'"},
      {"deal cores ()", "3:1 E103 expected '{' to begin a block, found '}'"},
      {"copy t[0, 0] = x[0, 0] within () team ();",
       "2:6 E103 expected '(' to begin the counters, found 't'"},
      {"copy () t[0, 0] x[0, 0]", "2:17 E103 expected '=' after the element, found 'x'"},
      {"copy () t[0, 0] = x[0, 0] team ();",
       "2:27 E103 expected 'within' after the elements, found 'team'"},
      {"copy () t[0, 0] = x[0, 0] within 1 < 2",
       "2:34 E103 expected '(' to begin the conditions, found '1'"},
      {"copy () t[0, 0] = x[0, 0] within (1 < 2;",
       "2:40 E103 expected ')' after the conditions, found ';'"},
      {"copy () t[0, 0] = x[0, 0] within ();",
       "2:36 E103 expected 'team' after the conditions, found ';'"},
      {"wait;", "2:5 E103 expected an integer (the groups that stay in flight), found ';'"},
      {"async t[0, 0] x[0, 0];", "2:15 E103 expected '=' after the element, found 'x'"},
      {"let i 3;", "2:7 E103 expected '=' after the name, found '3'"},
      {"load a = x;", "2:11 E103 expected '[' to begin the index, found ';'"},
      {"load a = x[0;", "2:13 E103 expected ']' after the index, found ';'"},
      {"store y[0] a;", "2:12 E103 expected '=' after the element, found 'a'"},
      {"apply r = g(a; 0);", "2:11 E103 expected 'f' after '=', found 'g'"},
      {"apply r = f(a, 0);", "2:16 E103 expected a name in the list, found '0'"},
      {"combine n = (o, r);", "2:18 E103 expected ';' after the list, found ')'"},
      {"accumulate y[i]", "2:12 E103 expected '(' to begin the elements, found 'y'"},
      {"accumulate (y[i];", "2:17 E103 expected ')' after the elements, found ';'"},
      {"accumulate (y[i]) from (x[i, k]);",
       "2:19 E103 expected 'first' after the target's elements, found 'from'"},
      {"accumulate (y[i]) first p", "2:25 E103 expected '(' after 'first', found 'p'"},
      {"accumulate (y[i]) first ();", "2:27 E103 expected 'from' after the target, found ';'"},
      {"write_up (y[i]) first ();", "2:12 E103 expected ')' after the list, found '['"},
      {"write_up (p) (y[i]) first ();", "2:29 E103 expected 'from' after the target, found ';'"},
      {"team_combine c (y[i])", "2:16 E103 expected 'elements' after the digit, found '('"},
      {"team_combine c elements () (y[i]) first ();",
       "2:43 E103 expected 'from' after the target, found ';'"},
      {"scan_step p (y[p])", "2:13 E103 expected 'coarse' after the digit, found '('"},
      {"scan_step p coarse () (y[p])",
       "2:23 E103 expected 'fine' after the coarse digits, found '('"},
      {"scan_step p coarse () fine () (y[p])",
       "2:31 E103 expected 'lines' after the fine digits, found '('"},
      {"scan_fix c coarse () fine () lines () (y[p]);",
       "2:45 E103 expected 'totals' after the elements, found ';'"},
      {"scan_fix c coarse () fine () lines () (y[p]) totals (t[0, 0]);",
       "2:62 E103 expected 'offset' after the totals, found ';'"},
      {"if 1 < 2 barrier cores;", "2:10 E103 expected '{' to begin a block, found 'barrier'"},
  };
  for (const auto& [statement, expected] : cases) {
    EXPECT_EQ(complaint_about(statement), expected + grammar);
  }
}

TEST(LoopParse, blocks_that_are_nested_too_deeply_are_refused) {
  std::string open, close;
  for (int n = 0; n < 100000; ++n) open += "if 1 < 2 { ", close += "}";
  EXPECT_EQ(complaint_about(open + close),
            "2:2199 E103 expected a simpler body (nested too deeply), found '{'" + grammar);
}

TEST(LoopParse, errors_of_the_lexer_and_of_expressions_have_their_place) {
  EXPECT_EQ(complaint_about("let a = 3 # 4;"),
            "2:11 E101 unexpected character '#' | remove it; comments begin with //");
  EXPECT_EQ(complaint_about("let a = 3b;"),
            "2:9 E102 a number must not run into a name | put a blank or an operator between them");
  EXPECT_EQ(complaint_about("let a = 3 +;"),
            "2:12 E103 expected an expression here, found ';'" + grammar);
  EXPECT_EQ(complaint_about("let a = 0.5;"),
            "2:9 E121 the literal 0.5 has no exact value of type i64 | use an integer in range, or "
            "cast");
  EXPECT_EQ(complaint_about("if 3 { }"),
            "2:4 E120 '3' has type i64, but bool is needed here | convert it explicitly: bool(3)");
  EXPECT_EQ(complaint_about("copy () t[0, 0] = x[0, 0] within (3) team ();"),
            "2:35 E120 '3' has type i64, but bool is needed here | convert it explicitly: bool(3)");
  EXPECT_EQ(complaint_about("let a = 1 < 2;"),
            "2:11 E103 expected ';' after the statement, found '<'" + grammar);
}

}  // namespace
}  // namespace mdh::loop::parse_test
