#include "mdh/ll/parse.h"

#include <gtest/gtest.h>

#include "mdh/ll/print.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll::parse_test {
namespace {

/// The low-level MatVec of the paper, 512 x 4096 on the artificial machine, as print() writes it.
const char* const matvec_ll = R"(mdh_ll 1
machine artificial
layers HM, COR, L1
decompose {
  HM.i:  cc_inv  2 on HM.x  reads M: HM[1, 2], v: HM[1];
  HM.k:  cc_inv  4 on HM.y  reads M: HM[1, 2], v: HM[1];
  COR.i: cc_inv  8 on COR.x reads M: HM[1, 2], v: HM[1];
  COR.k: cc_inv 16 on COR.y reads M: HM[1, 2], v: HM[1];
  L1.i:  cc_inv 32 on L1.x  reads M: L1[2, 1], v: L1[1];
  L1.k:  cc_inv 64 on L1.y  reads M: L1[2, 1], v: L1[1];
}
scalar {
  order HM.i, HM.k, COR.i, COR.k, L1.k, L1.i;
  reads M: L1[1, 2], v: L1[1];
  writes w: L1[1];
}
recompose {
  HM.i:  cc       2 on HM.x  writes w: HM[1];
  COR.i: cc       8 on COR.x writes w: HM[1];
  HM.k:  pw(add)  4 on HM.y  writes w: HM[1];
  COR.k: pw(add) 16 on COR.y writes w: HM[1];
  L1.i:  cc      32 on L1.x  writes w: L1[1];
  L1.k:  pw(add) 64 on L1.y  writes w: L1[1];
}
program matvec =
  out_view( w: f32 = [i] )
* md_hom( i: 512 by cc, k: 4096 by pw(add) ) { w = M * v; }
* inp_view( M: f32 = [i, k];
            v: f32 = [k] )
)";

/// The text with one piece replaced, which must occur.
std::string changed(const std::string& piece, const std::string& by, std::string text = matvec_ll) {
  const size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return at == std::string::npos ? text : text.replace(at, piece.size(), by);
}

/// "file:line:column code message | hint"
std::string complaint(const std::string& text) {
  const Diagnostic d = diagnostic_of([&] { parse(text, "p.ll.mdh"); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  return fmt::format("{} {} {}{}", to_string(d.where), d.code, d.message,
                     d.hint.empty() ? "" : " | " + d.hint);
}

TEST(LowLevelText, names_become_positions) {
  const Program p = parse(matvec_ll);
  EXPECT_EQ(p.machine, "artificial");
  EXPECT_EQ(p.layers, (std::vector<std::string>{"HM", "COR", "L1"}));
  ASSERT_EQ(p.decompose.size(), 6u);
  EXPECT_EQ(p.decompose[3],
            (TaggedOperator{{1, 1}, 16, "COR", "y", {{"HM", {1, 2}}, {"HM", {1}}}}));
  EXPECT_EQ(p.decompose[4], (TaggedOperator{{2, 0}, 32, "L1", "x", {{"L1", {2, 1}}, {"L1", {1}}}}));
  EXPECT_EQ(p.scalar.order, (std::vector<Level>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 1}, {2, 0}}));
  EXPECT_EQ(p.scalar.reads, (std::vector<Place>{{"L1", {1, 2}}, {"L1", {1}}}));
  EXPECT_EQ(p.scalar.writes, (std::vector<Place>{{"L1", {1}}}));
  ASSERT_EQ(p.recompose.size(), 6u);
  EXPECT_EQ(p.recompose[1], (TaggedOperator{{1, 0}, 8, "COR", "x", {{"HM", {1}}}}));
  EXPECT_EQ(hl::sizes(p.computation), (std::vector<int64_t>{512, 4096}));
}

TEST(LowLevelText, is_printed_as_a_table) { EXPECT_EQ(print(parse(matvec_ll)), matvec_ll); }

TEST(LowLevelText, code_is_a_line_of_json) {
  const std::string with_code = changed(
      "decompose {",
      "code {\"stage\": {\"v\": [{\"depth\": 2}]}, \"kernel\": {\"unroll\": {\"HM.k\": 4}}}\n"
      "decompose {");
  const Program p = parse(with_code);
  EXPECT_EQ(p.code.stage.at("v").at(0).depth, 2);
  EXPECT_EQ(p.code.kernel.unroll.at({"HM", "k"}), 4);
  EXPECT_EQ(print(p), with_code);
  EXPECT_EQ(complaint(changed("\"depth\"", "\"deep\"", with_code)),
            "p.ll.mdh:4:24 E314 \"deep\": unknown key | known: pad, line, swizzle, depth, "
            "transport, width, copy_order, prefetch, hint, opaque, roll, across");
  EXPECT_EQ(complaint(changed("code {", "code [", with_code)).substr(0, 18), "p.ll.mdh:4:14 E310");
  EXPECT_EQ(complaint(changed("HM.i:  cc_inv", "HM.i: , cc_inv", with_code)).substr(0, 13),
            "p.ll.mdh:6:9 ");
  EXPECT_NE(complaint(changed("code {", "code\n{", with_code)), "") << "on one line";
  EXPECT_EQ(complaint(changed("HM.k\": 4", "HM.q\": 4", with_code)),
            "p.ll.mdh:4:1 E331 code: there is no dimension 'q' | code speaks of the program's own "
            "dimensions and inputs");
  EXPECT_EQ(complaint(changed("{\"v\"", "{\"w\"", with_code)).substr(0, 44),
            "p.ll.mdh:4:1 E331 code: there is no input 'w");
}

TEST(LowLevelText, layers_with_axes_are_listed) {
  const std::string with_axes = changed("decompose {", "axes COR, HM\ndecompose {");
  const Program p = parse(with_axes);
  EXPECT_EQ(p.axes, (std::vector<std::string>{"COR", "HM"}));
  EXPECT_EQ(print(p), with_axes);
}

TEST(LowLevelText, code_may_be_the_name_of_something) {
  std::string text = changed("w: f32", "code: f32");
  for (const char* place : {"writes w:", "writes w:", "writes w:", "writes w:", "writes w:",
                            "writes w:", "writes w:"}) {
    text = changed(place, "writes code:", text);
  }
  text = changed("{ w = M * v; }", "{\ncode = M * v; }", text);
  EXPECT_EQ(parse(text).computation.outputs[0].symbol.name, "code");
}

TEST(LowLevelText, blanks_comments_and_the_order_of_places_do_not_matter) {
  std::string text =
      changed("reads M: HM[1, 2], v: HM[1];", "reads v:HM[1],M :HM[ 1,2 ] ; // M, v");
  text = changed("pw(add)  4", "pw( add )\n4", text);
  EXPECT_EQ(parse(text), parse(matvec_ll));
}

TEST(LowLevelText, a_program_without_levels_has_none) {
  const std::string text = R"(mdh_ll 1
machine cpu
layers none
decompose {
}
scalar {
  order none;
  reads nothing;
  writes y: MM[];
}
recompose {
}
program one =
  out_view( y: i32 = [] )
* md_hom( i: 1 by pw(max) ) { y = 7; }
* inp_view()
)";
  const Program p = parse(text);
  EXPECT_TRUE(p.layers.empty() && p.scalar.order.empty() && p.scalar.reads.empty());
  EXPECT_EQ(p.scalar.writes, (std::vector<Place>{{"MM", {}}}));
  EXPECT_EQ(print(p), text);
}

TEST(LowLevelText, a_buffer_may_be_called_nothing) {
  const std::string text = R"(mdh_ll 1
machine cpu
layers L1
decompose {
  L1.i: cc_inv 3 on L1.x reads nothing: MM[1];
}
scalar {
  order L1.i;
  reads nothing: L1[1];
  writes y: MM[1];
}
recompose {
  L1.i: cc 3 on L1.x writes y: MM[1];
}
program copy =
  out_view( y: i32 = [i] )
* md_hom( i: 3 by cc ) { y = nothing; }
* inp_view( nothing: i32 = [i] )
)";
  const Program p = parse(text);
  EXPECT_EQ(p.scalar.reads, (std::vector<Place>{{"L1", {1}}}));
  EXPECT_EQ(print(p), text);
}

TEST(LowLevelText, random_programs_are_printed_and_parsed_back) {
  Random random(3);
  for (int n = 0; n < 300; ++n) {
    const Program p = random_program(random, random_computation(random));
    const std::string text = print(p);
    EXPECT_EQ(parse(text), p) << text;
  }
}

TEST(LowLevelText, every_part_of_a_program_takes_part_in_comparison) {
  const Program p = parse(matvec_ll);
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"machine artificial", "machine openmp"},
      {"2 on HM.x  reads", "2 on L3.x reads"},
      {"2 on HM.x  reads", "2 on HM.z  reads"},
      {"reads M: HM[1, 2]", "reads M: L1[1, 2]"},
      {"reads M: HM[1, 2]", "reads M: HM[2, 1]"},
      {"order HM.i, HM.k", "order HM.k, HM.i"},
      {"reads M: L1[1, 2]", "reads M: L1[2, 1]"},
      {"writes w: L1[1]", "writes w: HM[1]"},
      {"COR.x writes w: HM[1]", "COR.x writes w: L1[1]"},
      {"M * v", "M + v"}};
  for (const auto& [piece, by] : changes) {
    const Program q = parse(changed(piece, by));
    EXPECT_FALSE(p == q) << piece << " -> " << by;
    EXPECT_EQ(parse(print(q)), q) << by;
  }
}

// ---- refusals

TEST(LowLevelText, another_version_is_refused) {
  EXPECT_EQ(complaint(changed("mdh_ll 1", "mdh_ll 2")),
            "p.ll.mdh:1:8 E206 version 2 of the text form is unknown | this mdh reads 'mdh_ll 1'");
  EXPECT_EQ(complaint("mdh 1").substr(0, 65),
            "p.ll.mdh:1:1 E103 expected 'mdh_ll' in the first line ('mdh_ll 1'");
}

TEST(LowLevelText, a_syntax_error_names_its_place) {
  EXPECT_EQ(complaint(changed("HM.k:  cc_inv", "HM.k  cc_inv")).substr(0, 62),
            "p.ll.mdh:6:9 E103 expected ':' after the level, found 'cc_inv'");
  EXPECT_EQ(complaint(std::string(matvec_ll) + "more").substr(0, 67),
            "p.ll.mdh:30:1 E103 expected the end after the program, found 'more'");
}

TEST(LowLevelText, an_operator_that_is_not_the_dimensions_own_is_refused) {
  EXPECT_EQ(complaint(changed("HM.k:  pw(add)", "HM.k:  pw(max)")),
            "p.ll.mdh:20:3 E330 level HM.k is combined by pw(add), not by pw(max)");
  EXPECT_EQ(complaint(changed("COR.i: cc ", "COR.i: pw(add) ")),
            "p.ll.mdh:19:3 E330 level COR.i is combined by cc, not by pw(add)");
  EXPECT_EQ(complaint(changed("HM.i:  cc_inv", "HM.i:  cc")).substr(0, 23),
            "p.ll.mdh:5:3 E330 level");
}

TEST(LowLevelText, an_unknown_level_is_refused) {
  const std::string hint = " | a level is a listed layer and a dimension of the program";
  EXPECT_EQ(complaint(changed("COR.k: cc_inv", "L2.k: cc_inv")),
            "p.ll.mdh:8:3 E331 there is no level L2.k" + hint);
  EXPECT_EQ(complaint(changed("L1.k, L1.i;", "L1.j, L1.i;")),
            "p.ll.mdh:13:35 E331 there is no level L1.j" + hint);
  EXPECT_EQ(complaint(changed("L1.k:  pw(add)", "L1.x:  pw(add)")),
            "p.ll.mdh:23:3 E331 there is no level L1.x" + hint);
}

TEST(LowLevelText, a_buffer_without_place_is_refused) {
  EXPECT_EQ(complaint(changed("reads M: HM[1, 2], v: HM[1];", "reads M: HM[1, 2];")),
            "p.ll.mdh:5:35 E332 every buffer has one place; 'v' is amiss");
  EXPECT_EQ(complaint(changed("v: L1[1];\n  writes", "w: L1[1];\n  writes")),
            "p.ll.mdh:14:9 E332 every buffer has one place; 'v' is amiss");
}

TEST(LowLevelText, a_place_for_a_buffer_that_is_not_there_is_refused) {
  EXPECT_EQ(complaint(changed("writes w: L1[1]", "writes w: L1[1], w: HM[1]")).substr(0, 23),
            "p.ll.mdh:15:10 E332 eve");
  const std::string no_inputs = R"(mdh_ll 1
machine cpu
layers none
decompose {}
scalar { order none; reads x: MM[1]; writes y: MM[]; }
recompose {}
program one = out_view( y: i32 = [] ) * md_hom() { y = 7; } * inp_view()
)";
  EXPECT_EQ(complaint(no_inputs), "p.ll.mdh:5:28 E332 every buffer has one place; 'x' is amiss");
  EXPECT_NO_THROW(parse(changed("reads x: MM[1]", "reads nothing", no_inputs)));
}

TEST(LowLevelText, what_is_not_well_formed_is_refused_as_the_users_mistake) {
  const std::string begin = "p.ll.mdh:1:1 E333 not a well-formed low-level program: ";
  const auto expect = [&](const std::string& text, const std::string& reason) {
    EXPECT_EQ(complaint(text).substr(0, begin.size() + reason.size()), begin + reason);
  };
  expect(changed("order HM.i, HM.k", "order HM.i"), "the scalar phase differs in its levels");
  expect(changed("cc_inv 32", "cc_inv 16"), "de- and re-composition differ in their levels");
  expect(changed("512", "513"), "dimension 'i' is not fully partitioned");
  expect(changed("M: L1[1, 2]", "M: L1[1, 1]"),
         "the layout of 'M' is not a permutation of its 2 dimensions");
}

TEST(LowLevelText, an_invalid_computation_is_refused_with_its_own_message) {
  EXPECT_EQ(complaint(changed("{ w = M * v; }", "{ u = M * v; }")).substr(0, 50),
            "p.ll.mdh:26:22 E217 output 'w' is assigned 0 times");
}

TEST(LowLevelText, digits_open_levels_and_assignments_of_f_are_kept) {
  const hl::Program p =
      hl::instantiate_open(hl::parse("mdh 1\nprogram matvec<I: size = *> = out_view( w: i64 = [i] )"
                                     " * md_hom( i: I by cc, k: 6 by pw(add) ) { w = M * v; }"
                                     " * inp_view( M: i64 = [i, k]; v: i64 = [k] )"),
                           {});
  Program low{.computation = p, .machine = "artificial", .layers = {"HM", "L1"}};
  const std::vector<Place> reads = {{"L1", {{2, "L1"}, 1, {2, "HM"}}}, {"HM", {1}}};
  low.decompose = {{{0, 0}, open_parts, "HM", "x", reads},
                   {{0, 1}, 2, "HM", "y", reads},
                   {{1, 1}, 3, "L1", "x", reads}};
  low.recompose = low.decompose;
  for (TaggedOperator& op : low.recompose) op.places = {{"HM", {1}}};
  low.scalar = {{{0, 0}, {0, 1}, {1, 1}},
                {{"HM", "x"}, {"COR", "y"}, {"L1", "x"}},
                reads,
                {{"HM", {{1, "HM"}}}}};
  const std::string text = print(low);
  EXPECT_NE(text.find("cc_inv * on HM.x reads M: L1[2@L1, 1, 2@HM], v: HM[1];"), std::string::npos)
      << text;
  EXPECT_NE(text.find("order HM.i, HM.k on COR.y, L1.k;"), std::string::npos) << text;
  EXPECT_EQ(parse(text), low);
}

}  // namespace
}  // namespace mdh::ll::parse_test
