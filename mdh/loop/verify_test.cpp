#include "mdh/loop/verify.h"

#include <gtest/gtest.h>

#include "mdh/loop/test_programs.h"

namespace mdh::loop {
namespace {

/// What verify says of the rows program with this body, by way of the parser.
std::string complaint(const std::string& body, const std::string& declarations = rows) {
  const std::string text =
      diagnostic_of([&] { parse(declarations + "body {" + body + "}"); }).message;
  const std::string begin = "not a well-formed loop program: ";
  if (text.rfind(begin, 0) != 0) return text;
  return text.substr(begin.size(), text.rfind(" (") - begin.size());
}

/// The declarations with one piece replaced, which must occur.
std::string changed(const std::string& piece, const std::string& by) {
  std::string text = rows;
  const size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return at == std::string::npos ? text : text.replace(at, piece.size(), by);
}

const std::string nothing = "(no error was raised)";

/// Statements inside of loops that cover both dimensions.
std::string covered(const std::string& statements) {
  return "sequential L1.i p < 3 of i step 1 { sequential L1.k q < 4 of k step 1 {" + statements +
         "} }";
}

TEST(LoopVerify, names_of_dimensions_and_buffers_are_distinct) {
  EXPECT_EQ(complaint("", changed("workspace t", "workspace x")), "the name 'x' is used twice");
  EXPECT_EQ(complaint("", changed("workspace t", "workspace i")), "the name 'i' is used twice");
  EXPECT_EQ(complaint("", changed("dimension k", "dimension i")), "the name 'i' is used twice");
}

TEST(LoopVerify, dimensions_hold_a_point) {
  EXPECT_EQ(complaint("", changed("dimension i < 3", "dimension i < 0")),
            "dimension 'i' has size 0");
}

TEST(LoopVerify, indices_are_defined_before_they_are_used) {
  EXPECT_EQ(complaint("let a = b + 1;"), "index 'b' has no value");
  EXPECT_EQ(complaint("let a = 1; let b = a + 1;"), nothing);
  EXPECT_EQ(complaint("if b == 0 { }"), "index 'b' has no value");
  EXPECT_EQ(complaint("for L1.i p < b sequential { }"), "index 'b' has no value");
  EXPECT_EQ(complaint("for L1.i p < p sequential { }"), "index 'p' has no value");
  EXPECT_EQ(complaint("load a = x[0, b];"), "index 'b' has no value");
  EXPECT_EQ(complaint("load a = x[0, 0]; apply r = f(a; b, 0);"), "index 'b' has no value");
  EXPECT_EQ(complaint("load a = x[0, 0]; deal () { store y[b] = a; }"), "index 'b' has no value");
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first () from (x[i, b]);")),
            "index 'b' has no value");
  EXPECT_EQ(complaint(covered("accumulate (y[b]) first () from (x[i, k]);")),
            "index 'b' has no value");
}

TEST(LoopVerify, what_is_defined_inside_of_a_block_ends_with_it) {
  EXPECT_EQ(complaint("for L1.i p < 3 sequential { } let a = p;"), "index 'p' has no value");
  EXPECT_EQ(complaint("if 0 == 0 { let b = 1; } let a = b;"), "index 'b' has no value");
  EXPECT_EQ(complaint("if 0 == 0 { let b = 1; } else { let a = b; }"), "index 'b' has no value");
  EXPECT_EQ(complaint("deal (COR.i c < 3 of i step 1) { } let a = c;"), "index 'c' has no value");
  EXPECT_EQ(complaint("if 0 == 0 { load a = x[0, 0]; } deal () { store y[0] = a; }"),
            "value 'a' is used before it is defined");
}

TEST(LoopVerify, only_structured_statements_know_the_dimensions_by_themselves) {
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first () from (x[i, k]);")), nothing);
  EXPECT_EQ(complaint(covered("load a = x[i, k];")), "index 'i' has no value");
  EXPECT_EQ(complaint(covered("let i = p; let k = q; load a = x[i, k];")), nothing);
}

TEST(LoopVerify, values_are_defined_before_they_are_used) {
  EXPECT_EQ(complaint("deal () { store y[0] = a; }"), "value 'a' is used before it is defined");
  EXPECT_EQ(complaint("apply r = f(a; 0, 0);"), "value 'a' is used before it is defined");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine n = (a; b);"),
            "value 'b' is used before it is defined");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine n = (b; a);"),
            "value 'b' is used before it is defined");
}

TEST(LoopVerify, values_are_defined_once) {
  EXPECT_EQ(complaint("load a = x[0, 0]; load a = x[0, 1];"), "value 'a' is defined twice");
  EXPECT_EQ(complaint("load a = x[0, 0]; apply a = f(a; 0, 0);"), "value 'a' is defined twice");
  EXPECT_EQ(complaint("if 0 == 0 { load a = x[0, 0]; } else { load a = x[0, 1]; }"), nothing);
}

TEST(LoopVerify, names_do_not_clash) {
  EXPECT_EQ(complaint("load x = x[0, 0];"), "value 'x' has the name of something else");
  EXPECT_EQ(complaint("load i = x[0, 0];"), "value 'i' has the name of something else");
  EXPECT_EQ(complaint("let a = 0; load a = x[0, 0];"), "value 'a' has the name of something else");
  EXPECT_EQ(complaint("load a = x[0, 0]; let a = 0;"), "variable 'a' hides a value");
  EXPECT_EQ(complaint("let y = 0;"), "variable 'y' hides a buffer");
  EXPECT_EQ(complaint("let a = 0; let a = 1;"), "variable 'a' hides another one");
  EXPECT_EQ(complaint("let i = 0; if 0 == 0 { let i = 1; }"), "variable 'i' hides another one");
  EXPECT_EQ(complaint("for L1.i y < 3 sequential { }"), "variable 'y' hides a buffer");
  EXPECT_EQ(complaint("for L1.i i < 3 sequential { }"), "variable 'i' hides a dimension");
  EXPECT_EQ(complaint("for L1.i p < 3 sequential { for L1.k p < 3 sequential { } }"),
            "variable 'p' hides another one");
  EXPECT_EQ(complaint("sequential L1.i p < 3 of i step 1 { lanes L1.k p < 4 of k step 1 { } }"),
            "variable 'p' hides another one");
  EXPECT_EQ(complaint("deal (COR.i c < 3 of i step 1, COR.k c < 4 of k step 1) { }"),
            "variable 'c' hides another one");
  EXPECT_EQ(complaint(R"(sequential L1.i p < 3 of i step 1 {
                           team_combine COR.k p < 4 of k step 1 elements ()
                             (y[i]) first () from (t[p, 0]); })"),
            "variable 'p' hides another one");
}

TEST(LoopVerify, stores_are_inside_of_deal) {
  EXPECT_EQ(complaint("load a = x[0, 0]; store y[0] = a;"), "a store outside of Deal");
  EXPECT_EQ(complaint("load a = x[0, 0]; deal () { store y[0] = a; }"), nothing);
}

TEST(LoopVerify, barriers_teams_and_deals_are_outside_of_deal) {
  EXPECT_EQ(complaint("barrier; deal () { } barrier;"), nothing);
  EXPECT_EQ(complaint("deal () { if 0 == 0 { barrier; } }"), "a barrier inside of Deal");
  EXPECT_EQ(complaint("deal () { deal (COR.i c < 3 of i step 1) { } }"), "a Deal inside of a Deal");
  EXPECT_EQ(complaint("deal () { cores COR.i c < 3 of i step 1 { } }"),
            "a loop on cores inside of Deal");
}

TEST(LoopVerify, elements_have_the_rank_of_their_buffer) {
  EXPECT_EQ(complaint("load a = x[0];"), "x[0] does not have the rank of its buffer");
  EXPECT_EQ(complaint("load a = y[0, 1];"), "y[0, 1] does not have the rank of its buffer");
  EXPECT_EQ(complaint("load a = z[0];"), "there is no buffer 'z'");
  EXPECT_EQ(complaint(covered("accumulate (y[]) first () from (x[i, k]);")),
            "y[] does not have the rank of its buffer");
}

TEST(LoopVerify, inputs_are_not_written) {
  EXPECT_EQ(complaint("deal () { load a = y[0]; store x[0, 0] = a; }"), "a store into input 'x'");
  EXPECT_EQ(complaint(covered("accumulate (x[i, k]) first () from (x[i, k]);")),
            "a store into input 'x'");
}

TEST(LoopVerify, the_digits_around_f_cover_every_dimension) {
  const std::string f = "{ accumulate (y[i]) first () from (x[i, k]); }";
  const std::string i = "sequential L1.i p < 3 of i step 1 {";
  EXPECT_EQ(complaint(i + "sequential L1.k q < 4 of k step 1" + f + "}"), nothing);
  EXPECT_EQ(complaint(i + "sequential L1.k q < 5 of k step 1" + f + "}"), nothing);
  const std::string expected = "the digits around f do not cover dimension 'k'";
  EXPECT_EQ(complaint(i + "sequential L1.k q < 3 of k step 1" + f + "}"), expected);
  EXPECT_EQ(complaint("sequential L1.i p < 3 of i step 1" + f), expected);
  EXPECT_EQ(complaint(i +
                      "sequential L2.k r < 3 of k step 1 { sequential L1.k q < "
                      "9223372036854775807 of k step 3" +
                      f + "} }"),
            "dimension 'k' has more parts than 64 bits hold");
  // As many combinations as points, but some points are met twice and others never.
  EXPECT_EQ(complaint(i + "sequential L2.k r < 2 of k step 1 { sequential L1.k q < 2 of k step 1" +
                      f + "} }"),
            expected);
  EXPECT_EQ(complaint(i + "sequential L1.k q < 4 of k step 2" + f + "}"), expected);
  // The order of the loops does not matter.
  EXPECT_EQ(complaint(i + "sequential L1.k q < 2 of k step 1 { sequential L2.k r < 2 of k step 2" +
                      f + "} }"),
            nothing);
}

TEST(LoopVerify, digits_hold_a_part) {
  EXPECT_EQ(complaint("deal (COR.i c < 0 of i step 1) { }"), "digit 'c' is empty");
  EXPECT_EQ(complaint("sequential L1.i p < 3 of i step 0 { }"), "digit 'p' is empty");
}

TEST(LoopVerify, functions_are_called_with_what_they_take) {
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first () from ();")), "f takes other inputs");
  EXPECT_EQ(complaint(covered("accumulate () first () from (x[i, k]);")),
            "a target has one element per result of f");
  EXPECT_EQ(complaint("load a = x[0, 0]; apply r = f(a; 0);"),
            "f takes other arguments or has other results");
  EXPECT_EQ(complaint("load a = x[0, 0]; apply r, s = f(a; 0, 0);"),
            "f takes other arguments or has other results");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine n = (a; );"),
            "the operator takes other arguments or has other results");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine = (a; a);"),
            "the operator takes other arguments or has other results");
  EXPECT_EQ(complaint("write_up (y[0]) first () from ();"),
            "a target has one element per element that is written up");
  EXPECT_EQ(complaint("team_combine COR.k c < 4 of k step 1 elements () (y[0]) first () from "
                      "(t[c, 0], t[c, 1]);"),
            "a target has one element per element that is written up");
}

TEST(LoopVerify, first_writes_are_decided_by_digits_in_scope) {
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first (q) from (x[i, k]);")), nothing);
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first (r) from (x[i, k]);")),
            "digit 'r' has no value");
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first (k) from (x[i, k]);")),
            "digit 'k' has no value");
}

TEST(LoopVerify, indices_are_made_of_literals_variables_and_binary_operations) {
  const std::string expected =
      "an index is made of literals, variables and operations on two of them";
  const Expr minus = unary(scalar::UnaryOp::negate, index_variable(named("a")));
  Program p = rows_with("let a = 1;");
  p.body.push_back(StmtNode{Let{named("b"), minus}});
  EXPECT_EQ(internal_error_of([&] { verify(p); }), expected);
  EXPECT_EQ(complaint("if !(1 == 2) { }"), expected);
  EXPECT_EQ(complaint("if true { }"), nothing);
}

}  // namespace
}  // namespace mdh::loop
