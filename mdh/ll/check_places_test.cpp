#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::check_places_test {
namespace {

/// MatVec 6 x 6 on the cpu, two digits per dimension.
Config good() {
  return config(
      R"("layers": ["COR", "L2", "L1"], "split": {"i": ["COR 2", "L1 3"], "k": ["L2 2", "L1 3"]},
    "order": ["COR.i", "L2.k", "L1.i", "L1.k", "L2.i"],
    "stage": {"M": [{"from": "L2.k", "region": "L2", "layout": ["k@L2", "i@L1", "k@L1"]},
                    {"from": "L1.k", "region": "REG"}],
              "v": [{"from": "L1.i", "region": "L1"}, {"from": "f", "region": "REG"}]},
    "acc": {"w": [{"inside": "L1.i", "region": "L1"}]})");
}

std::string complaint(const Config& c) {
  return verdict(c, computation(matvec_text, {{"I", 6}, {"K", 6}}), machine::find_machine("cpu"));
}

TEST(Places, tiles_and_accumulators_that_keep_the_rules_are_accepted) {
  EXPECT_EQ(complaint(good()), "accepted");
}

TEST(Places, buffers_exist) {
  Config c = good();
  c.stage["vv"] = c.stage["v"];
  EXPECT_EQ(complaint(c), "E340 stage: program 'matvec' has no input 'vv' | did you mean 'v'?");
  c = good();
  c.acc["M"] = c.acc["w"];
  EXPECT_EQ(complaint(c),
            "E340 acc: program 'matvec' has no output 'M' | 'M' is an input, which is not "
            "accumulated: \"stage\" says where it is read");
  c = good();
  c.stage["w"] = c.stage["v"];
  EXPECT_EQ(complaint(c),
            "E340 stage: program 'matvec' has no input 'w' | 'w' is an output, which cannot be "
            "staged: \"acc\" says where it is accumulated");
}

TEST(Places, levels_are_in_the_order) {
  Config c = good();
  c.stage["v"][0].from = {"L3", "k"};
  EXPECT_EQ(complaint(c),
            "E341 stage.v: \"from\": L3.k is not in the order | did you mean 'L2.k'?");
  c = good();
  c.acc["w"][0].from = {"MM", "i"};
  EXPECT_EQ(complaint(c).substr(0, 54), "E341 acc.w: \"inside\": MM.i is not in the order | known");
  c.acc["w"][0].from = {"L2", "i"};
  EXPECT_EQ(complaint(c), "accepted") << "a level of one part is a place, too";
}

TEST(Places, the_order_is_that_of_the_phase) {
  Config c = good();
  c.stage = {{"v", {{{"L1", "i"}, "L1", {}}, {{"L1", "k"}, "REG", {}}}}};
  c.phases["decomposition"].order = {{"COR", "i"}, {"L2", "k"}, {"L1", "k"}, {"L1", "i"}};
  EXPECT_EQ(complaint(c),
            "E345 stage.v: L1.k is not inside of the level before it | list tiles from outside in, "
            "each at a level of its own");
  c.phases.clear();
  EXPECT_EQ(complaint(c), "accepted");
}

TEST(Places, regions_exist_and_descend) {
  Config c = good();
  c.stage["v"][0].region = "L4";
  EXPECT_EQ(complaint(c), "E342 stage.v: machine 'cpu' has no region 'L4' | did you mean 'L3'?");
  c = good();
  c.stage["v"][0].region = "REG";
  c.stage["v"][1].region = "L2";
  EXPECT_EQ(complaint(c),
            "E344 stage.v: from f inwards L2 lies above REG (regions descend) | inner levels keep "
            "their data in the same or a faster region");
  c.stage["v"][0].region = "L2";
  EXPECT_EQ(complaint(c), "accepted");
}

TEST(Places, tiles_are_listed_from_outside_in) {
  const std::string hint = " | list tiles from outside in, each at a level of its own";
  Config c = good();
  c.stage["v"][1].from = {"L1", "i"};
  EXPECT_EQ(complaint(c), "E345 stage.v: L1.i is not inside of the level before it" + hint);
  c.stage["v"][1].from = {"L2", "k"};
  EXPECT_EQ(complaint(c), "E345 stage.v: L2.k is not inside of the level before it" + hint);
  c.stage["v"][0].from = {"f", ""};
  EXPECT_EQ(complaint(c), "E345 stage.v: L2.k is not inside of the level before it" + hint);
}

// ---- layouts

std::string with_layout(std::vector<LayoutAxis> axes) {
  Config c = good();
  c.stage["M"][0].layout = std::move(axes);
  return complaint(c);
}

TEST(Places, a_layout_is_a_permutation_of_dimensions_or_their_digits) {
  EXPECT_EQ(with_layout({{"i", ""}, {"k", ""}}), "accepted");
  EXPECT_EQ(with_layout({{"2", ""}, {"1", ""}}), "accepted");
  EXPECT_EQ(with_layout({{"2", "L1"}, {"1", ""}, {"2", "L2"}}), "accepted");
  EXPECT_EQ(with_layout({{"j", ""}, {"k", ""}}),
            "E343 stage.M: layout [j, k]: 'j' is no dimension of the buffer | name the only "
            "dimension that walks along it, or its position 1, 2, ...");
  EXPECT_EQ(with_layout({{"3", ""}, {"k", ""}}).substr(0, 37),
            "E343 stage.M: layout [3, k]: '3' is n");
  EXPECT_EQ(with_layout({{"0", ""}, {"k", ""}}).substr(0, 37),
            "E343 stage.M: layout [0, k]: '0' is n");
  EXPECT_EQ(with_layout({{"i", ""}, {"1", ""}}),
            "E343 stage.M: layout [i, 1]: '1' occurs twice | a layout is a permutation");
  EXPECT_EQ(with_layout({{"k", ""}}),
            "E343 stage.M: layout [k]: dimension 1 of the buffer is missing | every dimension "
            "stands once, whole or digit by digit");
  EXPECT_EQ(with_layout({{"i", ""}, {"k", ""}, {"k", "L1"}}),
            "E343 stage.M: layout [i, k, k@L1]: dimension 2 of the buffer is there whole and in "
            "digits | every dimension stands once, whole or digit by digit");
}

TEST(Places, digits_are_the_levels_inside_of_the_tile) {
  EXPECT_EQ(with_layout({{"i", "COR"}, {"i", "L1"}, {"k", ""}}),
            "E343 stage.M: layout [i@COR, i@L1, k]: COR.i is not a level from L2.k inwards | only "
            "the levels inside of the tile are digits of its layout");
  EXPECT_EQ(with_layout({{"i", "L3"}, {"i", "L1"}, {"k", ""}}).substr(0, 44),
            "E343 stage.M: layout [i@L3, i@L1, k]: L3.i i");
  EXPECT_EQ(with_layout({{"i", ""}, {"k", "L1"}}),
            "E343 stage.M: layout [i, k@L1]: the digit L2.k is missing | add \"k@L2\"");
  EXPECT_EQ(with_layout({{"i", "L1"}, {"i", "L2"}, {"k", ""}}), "accepted")
      << "a level of one part may be listed and need not";
}

TEST(Places, a_halo_is_never_split) {
  const hl::Program conv = hl::parse(
      "mdh 1\nprogram conv = out_view( y: i64 = [p] ) * md_hom( p: 4 by cc, r: 3 by pw(add) )"
      " { y = x * w; } * inp_view( x: i64 = [p + r]; w: i64 = [r] )");
  Config c = config(R"("layers": ["L1"], "split": {"p": ["L1 4"], "r": ["L1 3"]},
    "order": ["L1.p", "L1.r"], "stage": {"x": [{"from": "L1.p", "region": "L1", "layout": ["1@L1"]}]})");
  const machine::Machine& cpu = machine::find_machine("cpu");
  EXPECT_EQ(verdict(c, conv, cpu),
            "E343 stage.x: layout [1@L1]: '1@L1': several dimensions walk along it (a halo) | a "
            "halo is one axis and never split");
  c.stage["x"][0].layout = {{"p", ""}};
  EXPECT_EQ(verdict(c, conv, cpu).substr(0, 37), "E343 stage.x: layout [p]: 'p' is no d");
  c.stage["x"][0].layout = {{"1", ""}};
  EXPECT_EQ(verdict(c, conv, cpu), "accepted");
}

TEST(Places, a_dimension_that_walks_along_two_axes_is_named_by_position) {
  const hl::Program diagonal = hl::parse(
      "mdh 1\nprogram diagonal = out_view( y: i64 = [i] ) * md_hom( i: 4 by cc ) { y = x; }"
      " * inp_view( x: i64 = [i, i] )");
  Config c = config(R"("layers": ["L1"], "split": {"i": ["L1 4"]}, "order": ["L1.i"],
    "stage": {"x": [{"from": "L1.i", "region": "L1", "layout": ["i", "2"]}]})");
  const machine::Machine& cpu = machine::find_machine("cpu");
  EXPECT_EQ(verdict(c, diagonal, cpu).substr(0, 40), "E343 stage.x: layout [i, 2]: 'i' is no d");
  c.stage["x"][0].layout = {{"2", ""}, {"1", ""}};
  EXPECT_EQ(verdict(c, diagonal, cpu), "accepted");
  c.stage["x"][0].layout = {{"2", "L1"}, {"1", "L1"}};
  EXPECT_EQ(verdict(c, diagonal, cpu), "accepted");
}

TEST(Places, accesses_along_different_dimensions_are_named_by_position) {
  const hl::Program gram = hl::parse(
      "mdh 1\nprogram gram = out_view( y: i64 = [i, j] ) * md_hom( i: 4 by cc, j: 4 by cc )"
      " { y = x.1 * x.2; } * inp_view( x: i64 = [i], [j] )");
  Config c = config(R"("layers": ["L1"], "split": {"i": ["L1 4"], "j": ["L1 4"]},
    "order": ["L1.i", "L1.j"], "stage": {"x": [{"from": "L1.i", "region": "L1", "layout": ["j"]}]})");
  const machine::Machine& cpu = machine::find_machine("cpu");
  EXPECT_EQ(verdict(c, gram, cpu).substr(0, 37), "E343 stage.x: layout [j]: 'j' is no d");
  c.stage["x"][0].layout = {{"1", ""}};
  EXPECT_EQ(verdict(c, gram, cpu), "accepted");
}

// ---- open levels

TEST(Places, the_size_of_a_copy_is_known) {
  const hl::Program p =
      hl::bind(hl::parse("mdh 1\nprogram matvec<I: size = *> = out_view( w: i64 = [i] )"
                         " * md_hom( i: I by cc, k: 4 by pw(add) ) { w = M * v; }"
                         " * inp_view( M: i64 = [i, k]; v: i64 = [k] )"),
               {});
  const machine::Machine& cpu = machine::find_machine("cpu");
  Config c = config(R"("layers": ["L2", "L1"], "split": {"i": ["L2 *", "L1 3"], "k": ["L1 4"]},
    "order": ["L2.i", "L1.i", "L1.k"])");
  const auto staged = [&](const char* buffer, const char* layer, const char* region,
                          std::vector<LayoutAxis> layout) {
    Config with = c;
    with.stage[buffer] = {{{layer, "i"}, region, std::move(layout)}};
    return verdict(with, p, cpu);
  };
  EXPECT_EQ(staged("M", "L2", "REG", {}),
            "E354 stage.M: the tile in REG spans the open level L2.i, so its size is unknown | "
            "begin the tile inside of L2.i");
  EXPECT_EQ(staged("M", "L1", "REG", {}), "accepted");
  EXPECT_EQ(staged("v", "L2", "REG", {}), "accepted") << "v does not depend on i";
  EXPECT_EQ(staged("M", "L2", "L2", {}), "accepted") << "a hint is no copy";
  EXPECT_EQ(staged("M", "L2", "L2", {{"2", ""}, {"1", ""}}).substr(0, 4), "E354");
  EXPECT_EQ(staged("M", "L2", "MM", {{"2", ""}, {"1", ""}}), "accepted")
      << "there is room where the user's buffers are";
  c.acc["w"] = {{{"L2", "i"}, "REG", {}}};
  EXPECT_EQ(verdict(c, p, cpu).substr(0, 30), "E354 acc.w: the tile in REG sp");
}

}  // namespace
}  // namespace mdh::ll::check_places_test
