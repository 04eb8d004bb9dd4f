#include "mdh/loop/verify.h"

#include <gtest/gtest.h>

#include "mdh/loop/test_programs.h"

namespace mdh::loop::verify_test {
namespace {

/// What verify says of a program, by way of the parser.
std::string complaint_about(const std::string& program) {
  const std::string text = diagnostic_of([&] { parse(program); }).message;
  const std::string begin = "not a well-formed loop program: ";
  if (text.rfind(begin, 0) != 0) return text;
  return text.substr(begin.size(), text.rfind(" (") - begin.size());
}

/// Digits in many ways: c and d on cores, g on the grid, r and s cut k in two.
const More more{R"(digit c: COR.i < 3 of i step 1 cores
digit d: COR.k < 4 of k step 1 cores
digit g: BLK.i < 3 of i step 1 grid
digit r: L2.k < 2 of k step 2 sequential
digit s: L3.k < 2 of k step 1 sequential
)",
                {}};

std::string complaint(const std::string& body) { return complaint_about(rows_text(body, more)); }

/// The program without statements and with one piece replaced, which must occur.
std::string complaint_with(const std::string& piece, const std::string& by) {
  std::string text = rows_text("", more);
  const size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return complaint_about(at == std::string::npos ? text : text.replace(at, piece.size(), by));
}

const std::string nothing = "(no error was raised)";

/// Statements inside of loops that cover both dimensions.
std::string covered(const std::string& statements) {
  return "loop p { loop q {" + statements + "} }";
}

// ---- declarations

TEST(LoopVerify, names_of_dimensions_digits_and_buffers_are_distinct) {
  EXPECT_EQ(complaint_with("temporary t", "temporary x"), "the name 'x' is used twice");
  EXPECT_EQ(complaint_with("temporary t", "temporary i"), "the name 'i' is used twice");
  EXPECT_EQ(complaint_with("temporary t", "temporary p"), "the name 'p' is used twice");
  EXPECT_EQ(complaint_with("dimension k", "dimension i < 2 kept\ndimension k"),
            "the name 'i' is used twice");
  EXPECT_EQ(complaint_with("digit p", "digit q"), "the name 'q' is used twice");
  EXPECT_EQ(complaint_with("digit p", "digit i"), "the name 'i' is used twice");
}

TEST(LoopVerify, cores_run_digits_that_are_on_cores) {
  const auto with_cores = [](const std::string& cores) {
    return complaint_with("buffer output", "cores " + cores + "\nbuffer output");
  };
  EXPECT_EQ(with_cores("COR (c, d) dynamic on 2"), nothing);
  EXPECT_EQ(with_cores("BLK (g) block"), nothing);
  EXPECT_EQ(with_cores("L1 (p) block"), "digit 'p' is not on cores");
  EXPECT_EQ(with_cores("L1 (z) block"), "there is no digit 'z'");
  EXPECT_EQ(with_cores("COR (c) block on -2").substr(0, 8), "expected");
}

TEST(LoopVerify, copies_run_ahead_across_loops_around_them) {
  const auto copy = [](const std::string& across) {
    return complaint("loop p { copy (a < 3) t[0, a] = x[p, a] within () team () across " + across +
                     "; }");
  };
  EXPECT_EQ(copy("p"), "(no error was raised)");
  EXPECT_EQ(copy("q"), "a copy runs ahead across 'q', which is no loop around it");
}

TEST(LoopVerify, tiles_roll_along_loops_around_them_by_less_than_an_axis) {
  const auto copy = [](const std::string& roll) {
    return complaint("loop p { copy (a < 3) t[0, a] = x[p, a] within () team () roll " + roll +
                     "; }");
  };
  EXPECT_EQ(copy("p along a by 2"), nothing);
  EXPECT_EQ(copy("q along a by 2"), "a tile rolls along 'q', which is no loop around it");
  EXPECT_EQ(copy("p along b by 2"), "a tile rolls by 2 along 'b'");
  EXPECT_EQ(copy("p along a by 3"), "a tile rolls by 3 along 'a'");
  EXPECT_EQ(copy("p along a by 0"), "a tile rolls by 0 along 'a'");
}

TEST(LoopVerify, dimensions_hold_a_point) {
  EXPECT_EQ(complaint_with("dimension i < 3", "dimension i < 0"), "dimension 'i' has size 0");
}

TEST(LoopVerify, digits_hold_a_part) {
  EXPECT_EQ(complaint_with("L1.i < 3", "L1.i < 0"), "digit 'p' is empty");
  EXPECT_EQ(complaint_with("of i step 1", "of i step 0"), "digit 'p' is empty");
}

TEST(LoopVerify, digits_have_a_dimension) {
  for (const int dimension : {-1, 2}) {
    Program p = rows_with("");
    p.digits[0].dimension = dimension;
    EXPECT_EQ(internal_error_of([&] { verify(p); }), "digit 'p' has no dimension");
  }
}

TEST(LoopVerify, buffers_are_per_digits) {
  EXPECT_EQ(complaint_with("per ()", "per (c, g)"), nothing);
  EXPECT_EQ(complaint_with("per ()", "per (c, z)"), "there is no digit 'z'");
  EXPECT_EQ(complaint_with("per ()", "per (i)"), "there is no digit 'i'");
}

// ---- names

TEST(LoopVerify, indices_are_defined_before_they_are_used) {
  EXPECT_EQ(complaint("let a = b + 1;"), "index 'b' has no value");
  EXPECT_EQ(complaint("let a = 1; let b = a + 1;"), nothing);
  EXPECT_EQ(complaint("if b == 0 { }"), "index 'b' has no value");
  EXPECT_EQ(complaint("for L1.i n < b sequential { }"), "index 'b' has no value");
  EXPECT_EQ(complaint("for L1.i n < n sequential { }"), "index 'n' has no value");
  EXPECT_EQ(complaint("load a = x[0, b];"), "index 'b' has no value");
  EXPECT_EQ(complaint("load a = x[0, 0]; apply r1 = f(a; b, 0);"), "index 'b' has no value");
  EXPECT_EQ(complaint("load a = x[0, 0]; deal cores () { store y[b] = a; }"),
            "index 'b' has no value");
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first () from (x[i, b]);")),
            "index 'b' has no value");
  EXPECT_EQ(complaint(covered("accumulate (y[b]) first () from (x[i, k]);")),
            "index 'b' has no value");
  EXPECT_EQ(complaint("copy (n < 2) t[0, b] = x[0, n] within () team ();"),
            "index 'b' has no value");
  EXPECT_EQ(complaint("copy (n < 2) t[0, n] = x[0, b] within () team ();"),
            "index 'b' has no value");
  EXPECT_EQ(complaint("copy (n < 2) t[0, n] = x[0, n] within (b < 2) team ();"),
            "index 'b' has no value");
  EXPECT_EQ(complaint("copy (n < 2) t[0, n] = x[0, n] within (n < 2) team ();"), nothing);
}

TEST(LoopVerify, digits_have_a_value_in_their_loop_only) {
  EXPECT_EQ(complaint("let a = p;"), "index 'p' has no value");
  EXPECT_EQ(complaint("loop p { let a = p; }"), nothing);
  EXPECT_EQ(complaint("loop p { } let a = p;"), "index 'p' has no value");
  EXPECT_EQ(complaint("deal cores (c < 3) { let a = c; }"), nothing);
  EXPECT_EQ(complaint("write_up (p) (y[p]) first () from (t[0, p]);"), nothing);
  EXPECT_EQ(complaint("write_up () (y[p]) first () from (t[0, 0]);"), "index 'p' has no value");
  EXPECT_EQ(complaint("write_up () (y[0]) first () from (t[0, p]);"), "index 'p' has no value");
  EXPECT_EQ(complaint("team_combine d elements (p) (y[p]) first () from (t[d, p]);"), nothing);
  EXPECT_EQ(complaint("team_combine d elements () (y[0]) first () from (t[d, p]);"),
            "index 'p' has no value");
}

TEST(LoopVerify, what_is_defined_inside_of_a_block_ends_with_it) {
  EXPECT_EQ(complaint("for L1.i n < 3 sequential { } let a = n;"), "index 'n' has no value");
  EXPECT_EQ(complaint("if 0 == 0 { let b = 1; } let a = b;"), "index 'b' has no value");
  EXPECT_EQ(complaint("if 0 == 0 { let b = 1; } else { let a = b; }"), "index 'b' has no value");
  EXPECT_EQ(complaint("deal cores (c < 3) { } let a = c;"), "index 'c' has no value");
  EXPECT_EQ(complaint("copy (n < 2) t[0, n] = x[0, n] within () team (); let a = n;"),
            "index 'n' has no value");
  EXPECT_EQ(complaint("if 0 == 0 { load a = x[0, 0]; } deal cores () { store y[0] = a; }"),
            "value 'a' is used before it is defined");
}

TEST(LoopVerify, only_structured_statements_know_the_dimensions_by_themselves) {
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first () from (x[i, k]);")), nothing);
  EXPECT_EQ(complaint(covered("write_up () (y[i]) first () from (t[k, i]);")), nothing);
  EXPECT_EQ(complaint(covered("copy () t[k, i] = x[i, k] within (i < k) team ();")), nothing);
  EXPECT_EQ(complaint(covered("load a = x[i, k];")), "index 'i' has no value");
  EXPECT_EQ(complaint(covered("let i = p; let k = q; load a = x[i, k];")), nothing);
}

TEST(LoopVerify, values_are_defined_before_they_are_used) {
  EXPECT_EQ(complaint("deal cores () { store y[0] = a; }"),
            "value 'a' is used before it is defined");
  EXPECT_EQ(complaint("apply v = f(a; 0, 0);"), "value 'a' is used before it is defined");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine n = (a; b);"),
            "value 'b' is used before it is defined");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine n = (b; a);"),
            "value 'b' is used before it is defined");
}

TEST(LoopVerify, values_are_defined_once) {
  EXPECT_EQ(complaint("load a = x[0, 0]; load a = x[0, 1];"), "value 'a' is defined twice");
  EXPECT_EQ(complaint("load a = x[0, 0]; apply a = f(a; 0, 0);"), "value 'a' is defined twice");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine a = (a; a);"), "value 'a' is defined twice");
  EXPECT_EQ(complaint("if 0 == 0 { load a = x[0, 0]; } else { load a = x[0, 1]; }"), nothing);
}

TEST(LoopVerify, names_do_not_clash) {
  EXPECT_EQ(complaint("load x = x[0, 0];"), "value 'x' has the name of something else");
  EXPECT_EQ(complaint("load i = x[0, 0];"), "value 'i' has the name of something else");
  EXPECT_EQ(complaint("load p = x[0, 0];"), "value 'p' has the name of something else");
  EXPECT_EQ(complaint("let a = 0; load a = x[0, 0];"), "value 'a' has the name of something else");
  EXPECT_EQ(complaint("load a = x[0, 0]; let a = 0;"), "variable 'a' hides a value");
  EXPECT_EQ(complaint("let y = 0;"), "variable 'y' hides a buffer");
  EXPECT_EQ(complaint("let a = 0; let a = 1;"), "variable 'a' hides another one");
  EXPECT_EQ(complaint("let i = 0; if 0 == 0 { let i = 1; }"), "variable 'i' hides another one");
  EXPECT_EQ(complaint("for L1.i y < 3 sequential { }"), "variable 'y' hides a buffer");
  EXPECT_EQ(complaint("for L1.i i < 3 sequential { }"), "variable 'i' hides a dimension");
  EXPECT_EQ(complaint("for L1.i n < 3 sequential { for L1.k n < 3 sequential { } }"),
            "variable 'n' hides another one");
  EXPECT_EQ(complaint("loop p { loop p { } }"), "variable 'p' hides another one");
  EXPECT_EQ(complaint("deal cores (c < 3, c < 3) { }"), "variable 'c' hides another one");
  EXPECT_EQ(complaint("deal cores (i < 3) { }"), "variable 'i' hides a dimension");
  EXPECT_EQ(complaint("copy (n < 2, n < 2) t[0, n] = x[0, n] within () team ();"),
            "variable 'n' hides another one");
  EXPECT_EQ(complaint("copy (k < 2) t[0, k] = x[0, k] within () team ();"),
            "variable 'k' hides a dimension");
  EXPECT_EQ(complaint("loop p { write_up (p) (y[p]) first () from (t[0, p]); }"),
            "variable 'p' hides another one");
  EXPECT_EQ(complaint("loop p { team_combine d elements (p) (y[p]) first () from (t[d, p]); }"),
            "variable 'p' hides another one");
}

TEST(LoopVerify, loops_and_teams_are_made_of_digits) {
  EXPECT_EQ(complaint("loop z { }"), "there is no digit 'z'");
  EXPECT_EQ(complaint("loop i { }"), "there is no digit 'i'");
  EXPECT_EQ(complaint("write_up (z) (y[0]) first () from (t[0, 0]);"), "there is no digit 'z'");
  EXPECT_EQ(complaint("team_combine z elements () (y[0]) first () from (t[0, 0]);"),
            "there is no digit 'z'");
  EXPECT_EQ(complaint("team_combine d elements (z) (y[0]) first () from (t[d, 0]);"),
            "there is no digit 'z'");
  EXPECT_EQ(complaint("copy () t[0, 0] = x[0, 0] within () team (c, z);"), "there is no digit 'z'");
}

TEST(LoopVerify, counters_count) {
  EXPECT_EQ(complaint("deal cores (n < 0) { }"), "counter 'n' is empty");
  EXPECT_EQ(complaint("copy (n < 0) t[0, 0] = x[0, 0] within () team ();"), "counter 'n' is empty");
  EXPECT_EQ(complaint("deal cores (c < 3, n < 5) { }"), nothing);
  EXPECT_EQ(complaint("deal cores (c < 2) { }"), "counter 'c' does not count its parts");
}

// ---- teams

TEST(LoopVerify, stores_are_inside_of_deal) {
  EXPECT_EQ(complaint("load a = x[0, 0]; store y[0] = a;"), "a store outside of Deal");
  for (const std::string team : {"cores", "grid", "all"}) {
    EXPECT_EQ(complaint("load a = x[0, 0]; deal " + team + " () { store y[0] = a; }"), nothing);
    EXPECT_EQ(complaint("load a = x[0, 0]; deal " + team + " () { } store y[0] = a;"),
              "a store outside of Deal");
  }
}

TEST(LoopVerify, nobody_waits_inside_of_a_deal_for_those_among_whom_it_deals) {
  const std::string waits = "a barrier inside of Deal";
  EXPECT_EQ(complaint("barrier cores; barrier grid; barrier all; deal cores () { } barrier cores;"),
            nothing);
  EXPECT_EQ(complaint("deal cores () { if 0 == 0 { barrier cores; } }"), waits);
  EXPECT_EQ(complaint("deal cores () { barrier grid; }"), waits);
  EXPECT_EQ(complaint("deal all () { barrier cores; }"), waits);
  EXPECT_EQ(complaint("deal all () { barrier all; }"), waits);
  EXPECT_EQ(complaint("deal grid () { barrier grid; }"), waits);
  EXPECT_EQ(complaint("deal grid () { barrier all; }"), waits);
  EXPECT_EQ(complaint("deal grid () { barrier cores; }"), nothing);
  EXPECT_EQ(complaint("deal grid () { deal cores () { barrier cores; } }"), waits);
}

TEST(LoopVerify, only_cores_of_a_member_of_the_grid_are_dealt_to_inside_of_a_deal) {
  const std::string twice = "a Deal inside of a Deal";
  EXPECT_EQ(complaint("deal grid () { deal cores () { } deal cores () { } }"), nothing);
  EXPECT_EQ(complaint("deal cores () { deal cores (c < 3) { } }"), twice);
  EXPECT_EQ(complaint("deal cores () { deal grid () { } }"), twice);
  EXPECT_EQ(complaint("deal cores () { deal all () { } }"), twice);
  EXPECT_EQ(complaint("deal grid () { deal grid () { } }"), twice);
  EXPECT_EQ(complaint("deal grid () { deal all () { } }"), twice);
  EXPECT_EQ(complaint("deal grid () { deal cores () { deal cores () { } } }"), twice);
  EXPECT_EQ(complaint("deal all () { deal cores () { } }"), twice);
  EXPECT_EQ(complaint("deal all () { deal grid () { } }"), twice);
  EXPECT_EQ(complaint("deal all () { } deal cores () { } deal grid () { }"), nothing);
}

TEST(LoopVerify, loops_on_cores_are_outside_of_their_deals) {
  EXPECT_EQ(complaint("deal cores () { loop c { } }"), "a loop on cores inside of Deal");
  EXPECT_EQ(complaint("deal all () { loop c { } }"), "a loop on cores inside of Deal");
  EXPECT_EQ(complaint("deal cores () { loop g { } }"), "a loop on cores inside of Deal");
  EXPECT_EQ(complaint("deal grid () { loop c { } }"), nothing);
  EXPECT_EQ(complaint("deal cores () { loop p { } }"), nothing);
}

// ---- elements

TEST(LoopVerify, elements_have_the_rank_of_their_buffer) {
  EXPECT_EQ(complaint("load a = x[0];"), "x[0] does not have the rank of its buffer");
  EXPECT_EQ(complaint("load a = y[0, 1];"), "y[0, 1] does not have the rank of its buffer");
  EXPECT_EQ(complaint("load a = z[0];"), "there is no buffer 'z'");
  EXPECT_EQ(complaint(covered("accumulate (y[]) first () from (x[i, k]);")),
            "y[] does not have the rank of its buffer");
  EXPECT_EQ(complaint("copy () t[0] = x[0, 0] within () team ();"),
            "t[0] does not have the rank of its buffer");
  EXPECT_EQ(complaint("copy () t[0, 0] = x[0] within () team ();"),
            "x[0] does not have the rank of its buffer");
}

TEST(LoopVerify, inputs_are_not_written) {
  EXPECT_EQ(complaint("deal cores () { load a = y[0]; store x[0, 0] = a; }"),
            "a store into input 'x'");
  EXPECT_EQ(complaint(covered("accumulate (x[i, k]) first () from (x[i, k]);")),
            "a store into input 'x'");
  EXPECT_EQ(complaint("copy () x[0, 0] = t[0, 0] within () team ();"), "a store into input 'x'");
}

TEST(LoopVerify, only_temporaries_begin_anew) {
  EXPECT_EQ(complaint("alloc t;"), nothing);
  EXPECT_EQ(complaint("alloc y;"), "'y' is the user's and does not begin anew");
  EXPECT_EQ(complaint("alloc x;"), "'x' is the user's and does not begin anew");
  EXPECT_EQ(complaint("alloc z;"), "there is no buffer 'z'");
}

// ---- f and ⊕

const std::string f = "{ accumulate (y[i]) first () from (x[i, k]); }";
const std::string uncovered = "the digits around f do not cover dimension 'k'";

TEST(LoopVerify, the_digits_around_f_cover_every_dimension) {
  EXPECT_EQ(complaint("loop p { loop q" + f + "}"), nothing);
  EXPECT_EQ(complaint("loop p" + f), uncovered);
  EXPECT_EQ(complaint("loop p { loop r" + f + "}"), uncovered);
  EXPECT_EQ(complaint("loop p { loop r { loop s" + f + "} }"), nothing);
  // The order of the loops does not matter, nor how they run.
  EXPECT_EQ(complaint("loop s { loop r { loop p" + f + "} }"), nothing);
  EXPECT_EQ(complaint("for L1.i p < 3 sequential { deal cores (d < 4) " + f + "}"), nothing);
}

TEST(LoopVerify, digits_of_f_meet_every_point_once) {
  const auto with = [](const std::string& digits) {
    return complaint_about(rows_text("loop p { loop a { loop b" + f + "} }", {digits, {}}));
  };
  const auto digit = [](const std::string& name, int64_t parts, int64_t step) {
    return fmt::format("digit {}: L1.k < {} of k step {} sequential\n", name, parts, step);
  };
  EXPECT_EQ(with(digit("a", 2, 2) + digit("b", 2, 1)), nothing);
  EXPECT_EQ(with(digit("a", 2, 3) + digit("b", 3, 1)), nothing);  // more parts than points
  // As many combinations as points, but some points are met twice and others never.
  EXPECT_EQ(with(digit("a", 2, 1) + digit("b", 2, 1)), uncovered);
  EXPECT_EQ(with(digit("a", 2, 3) + digit("b", 2, 1)), uncovered);
  EXPECT_EQ(with(digit("a", 3, 1) + digit("b", 1, 3)), uncovered);
  EXPECT_EQ(with(digit("a", 9223372036854775807, 3) + digit("b", 3, 1)),
            "dimension 'k' has more parts than 64 bits hold");
}

TEST(LoopVerify, functions_are_called_with_what_they_take) {
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first () from ();")), "f takes other inputs");
  EXPECT_EQ(complaint(covered("accumulate () first () from (x[i, k]);")),
            "a target has one element per result of f");
  EXPECT_EQ(complaint("load a = x[0, 0]; apply v = f(a; 0);"),
            "f takes other arguments or has other results");
  EXPECT_EQ(complaint("load a = x[0, 0]; apply u, v = f(a; 0, 0);"),
            "f takes other arguments or has other results");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine n = (a; );"),
            "the operator takes other arguments or has other results");
  EXPECT_EQ(complaint("load a = x[0, 0]; combine = (a; a);"),
            "the operator takes other arguments or has other results");
}

TEST(LoopVerify, as_many_elements_are_written_as_read) {
  const std::string expected = "a target has one element per element that is written up";
  EXPECT_EQ(complaint("write_up () (y[0]) first () from ();"), expected);
  EXPECT_EQ(complaint("team_combine d elements () (y[0]) first () from (t[d, 0], t[d, 1]);"),
            expected);
  EXPECT_EQ(complaint("write_up () (y[0], y[1]) first () from (t[0, 0], t[0, 1]);"),
            "a target has one element per result of f");
}

TEST(LoopVerify, first_writes_are_decided_by_digits_in_scope) {
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first (q) from (x[i, k]);")), nothing);
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first (r) from (x[i, k]);")),
            "digit 'r' has no value");
  EXPECT_EQ(complaint(covered("accumulate (y[i]) first (k) from (x[i, k]);")),
            "digit 'k' has no value");
  EXPECT_EQ(complaint("write_up (p) (y[p]) first (q) from (t[0, p]);"), "digit 'q' has no value");
}

// ---- scans

/// Dimension i is scanned, j is not.
std::string scan_complaint(const std::string& body) {
  return complaint_about(R"(mdh_loop 1
kernel scan
dimension i < 8 scanned
dimension j < 2 kept
digit a: L2.i < 4 of i step 2 sequential
digit b: L1.i < 2 of i step 1 sequential
digit c: COR.i < 4 of i step 2 cores
digit l: L1.j < 2 of j step 1 sequential
buffer output y: i64[8, 2]
buffer input x: i64[8, 2]
buffer temporary t: i64[4] in MM of all per ()
buffer temporary o: i64[4] in MM of all per ()
function f(x: i64, i: i64, j: i64) { y: i64 = x; }
function combine(l: i64, r: i64) { x: i64 = l + r; }
body { alloc t; alloc o; )" +
                         body + "}");
}

TEST(LoopVerify, scans_join_parts_of_a_scanned_dimension) {
  EXPECT_EQ(
      scan_complaint("loop a { scan_step a coarse () fine (b) lines (l) (y[a * 2 + b, l]); }"),
      nothing);
  EXPECT_EQ(scan_complaint("loop l { scan_step l coarse () fine () lines () (y[0, l]); }"),
            "digit 'l' is not of a scanned dimension");
  EXPECT_EQ(scan_complaint("scan_fix c coarse () fine (b) lines (l) (y[c * 2 + b, l]) totals (t[c])"
                           " offset (o[c]);"),
            nothing);
  EXPECT_EQ(scan_complaint("scan_fix l coarse () fine () lines () (y[0, l]) totals (t[l])"
                           " offset (o[l]);"),
            "digit 'l' is not of a scanned dimension");
}

TEST(LoopVerify, a_scan_step_stands_inside_of_its_loop_and_a_fix_behind_it) {
  EXPECT_EQ(scan_complaint("scan_step a coarse () fine (b) lines (l) (y[a * 2 + b, l]);"),
            "a scan step outside of its loop");
  EXPECT_EQ(scan_complaint("loop c { scan_fix c coarse () fine (b) lines (l) (y[c * 2 + b, l])"
                           " totals (t[c]) offset (o[c]); }"),
            "variable 'c' hides another one");
}

TEST(LoopVerify, every_total_has_an_offset) {
  EXPECT_EQ(scan_complaint("scan_fix c coarse () fine (b) lines (l) (y[c * 2 + b, l])"
                           " totals (t[c]) offset (o[0]);"),
            "'o' is not the offset of every total in 't'");
}

TEST(LoopVerify, scans_have_one_element_per_result) {
  const std::string expected = "a scan has one element per result of f";
  EXPECT_EQ(scan_complaint("loop a { scan_step a coarse () fine () lines () (); }"), expected);
  const std::string fix = "scan_fix c coarse () fine () lines () ";
  EXPECT_EQ(scan_complaint(fix + "() totals (t[c]) offset (o[c]);"), expected);
  EXPECT_EQ(scan_complaint(fix + "(y[c, 0]) totals () offset (o[c]);"), expected);
  EXPECT_EQ(scan_complaint(fix + "(y[c, 0]) totals (t[c]) offset (o[c], o[c]);"), expected);
}

TEST(LoopVerify, elements_of_scans_are_written_and_mention_the_digits_of_the_scan) {
  EXPECT_EQ(scan_complaint("loop a { scan_step a coarse () fine () lines () (x[a, 0]); }"),
            "a store into input 'x'");
  EXPECT_EQ(scan_complaint("loop a { scan_step a coarse () fine () lines () (y[b, 0]); }"),
            "index 'b' has no value");
  // Dimensions have no value here: elements name their digits.
  EXPECT_EQ(scan_complaint("loop a { scan_step a coarse () fine (b) lines (l) (y[i, l]); }"),
            "index 'i' has no value");
  EXPECT_EQ(scan_complaint("loop a { scan_step a coarse () fine (z) lines () (y[a, 0]); }"),
            "there is no digit 'z'");
}

// ---- expressions

TEST(LoopVerify, indices_are_made_of_literals_variables_operations_and_choices) {
  const std::string expected =
      "an index is made of literals, variables, operations on two of them, choices";
  const Expr minus = unary(scalar::UnaryOp::negate, index_variable(named("a")));
  Program p = rows_with("let a = 1;");
  p.body.push_back(StmtNode{Let{named("b"), minus}});
  EXPECT_EQ(internal_error_of([&] { verify(p); }), expected);
  EXPECT_EQ(complaint("if !(1 == 2) { }"), expected);
  EXPECT_EQ(complaint("if true { }"), nothing);
  EXPECT_EQ(complaint("let a = 1; let b = min(if a < 2 then a else 3, 4);"), nothing);
}

// ---- temporaries and copies in flight

TEST(LoopVerify, an_alloc_stands_before_every_use_of_a_temporary_or_around_it) {
  const std::string nowhere =
      "temporary 't' is used where no alloc of it stands before, in the same block or around it";
  const std::string use = "load a = t[0, 0];",
                    write = "copy () t[0, 0] = x[0, 0] within () team ();";
  EXPECT_EQ(complaint("alloc t;" + write + use), nothing);
  EXPECT_EQ(complaint("alloc t; loop p { loop q {" + write + use + "} }"), nothing);
  EXPECT_EQ(complaint("loop p { alloc t; loop q {" + write + use + "} }"), nothing);
  EXPECT_EQ(complaint("loop p { alloc t;" + write + "}" + use), nowhere);
  EXPECT_EQ(complaint("if 1 < 2 { alloc t; } else {" + write + "}"), nowhere);
  EXPECT_EQ(complaint("deal cores (p < 3) { alloc t; }" + write), nowhere);
  // Further down in the same block is too late; parse, because test programs begin with one.
  std::string late = rows_text("alloc t;" + use, more);
  late.replace(late.find("alloc t;" + use), use.size() + 8, use + "alloc t;");
  EXPECT_EQ(complaint_about(late), nowhere);
}

TEST(LoopVerify, asynchronous_copies_are_issued_by_someone_into_what_may_be_written) {
  EXPECT_EQ(complaint("deal cores (p < 3) { async t[0, p] = x[p, 0]; commit; wait 0; }"), nothing);
  EXPECT_EQ(complaint("async t[0, 0] = x[0, 0];"), "an asynchronous copy outside of Deal");
  EXPECT_EQ(complaint("deal cores () { async x[0, 0] = y[0]; }"), "a store into input 'x'");
  EXPECT_EQ(complaint("deal cores () { async t[0] = y[0]; }"),
            "t[0] does not have the rank of its buffer");
  EXPECT_EQ(complaint("deal cores () { async t[0, n] = y[0]; }"), "index 'n' has no value");
}

TEST(LoopVerify, what_is_asked_for_ahead_need_not_exist_but_has_an_index) {
  EXPECT_EQ(complaint("deal cores (p < 3) { prefetch x[p + 100, 0]; }"), nothing);
  EXPECT_EQ(complaint("deal cores (p < 3) { prefetch x[p]; }"),
            "x[p] does not have the rank of its buffer");
  EXPECT_EQ(complaint("deal cores () { prefetch x[0, n]; }"), "index 'n' has no value");
  EXPECT_EQ(complaint("loop p { copy (c < 4) t[c, 0] = x[p, c] within () team () ahead p by 0; }"),
            "a copy is ahead by 0");
}

TEST(LoopVerify, asynchronous_copies_do_not_convert) {
  const std::string text = rows_text("alloc u; deal cores () { async u[] = x[0, 0]; }",
                                     {{}, "buffer temporary u: i32[] in L1 of core per ()\n"});
  EXPECT_EQ(complaint_about(text), "u[] is copied from another type");
}

}  // namespace
}  // namespace mdh::loop::verify_test
