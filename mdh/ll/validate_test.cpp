#include <gtest/gtest.h>

#include "mdh/ll/config.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll {
namespace {

/// MatVec 6 x 5, fully partitioned; the last size is padded to 6.
Config good() {
  return {.program = "matvec",
          .machine = "artificial",
          .layers = {"COR", "HM", "L1"},
          .split = {{"i", {{"COR", 2}, {"L1", 3}}}, {"k", {{"HM", 2}, {"L1", 3}}}},
          .order = {{"COR", "i"}, {"HM", "k"}, {"L1", "i"}, {"L1", "k"}}};
}

void check(const Config& c, const Sizes& sizes = {{"I", 6}, {"K", 5}}) {
  validate(c, computation(matvec_text, sizes), machine::find_machine("artificial"));
}

void expect_accepted(const Config& c, const Sizes& sizes = {{"I", 6}, {"K", 5}}) {
  EXPECT_NO_THROW(check(c, sizes)) << print(c);
}

/// "code message | hint"
std::string complaint(const Config& c, const Sizes& sizes = {{"I", 6}, {"K", 5}}) {
  const Diagnostic d = diagnostic_of([&] { check(c, sizes); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  return fmt::format("{} {}{}", d.code, d.message, d.hint.empty() ? "" : " | " + d.hint);
}

TEST(Validate, a_configuration_that_keeps_all_rules_is_accepted) { expect_accepted(good()); }

TEST(Validate, the_matvec_configuration_of_the_paper_is_accepted) {
  const Config c = parse_config(
      R"({"mdh_config": 1, "machine": "artificial", "layers": ["HM", "COR", "L1"],
          "split": {"i": ["HM 2", "COR 8", "L1 32"], "k": ["HM 4", "COR 16", "L1 64"]},
          "order": ["HM.i", "HM.k", "COR.i", "COR.k", "L1.i", "L1.k"]})");
  expect_accepted(c, {{"I", 512}, {"K", 4096}});
  EXPECT_EQ(complaint(c, {{"I", 513}, {"K", 4096}}),
            "E326 split.i: 512 parts do not cover the size 513 (full partitioning) | multiply one "
            "of the counts by at least 2");
}

TEST(Validate, layers_exist_on_the_machine) {
  Config c = good();
  c.layers = {"COR", "HM", "L1", "L2"};
  EXPECT_EQ(complaint(c),
            "E320 layers: machine 'artificial' has no layer 'L2' | did you mean 'L1'?");
  c = good();
  c.split["k"][1].layer = "REG";
  EXPECT_EQ(complaint(c),
            "E320 split.k: machine 'artificial' has no layer 'REG' | known: HM, L1, COR");
  c = good();
  c.order[0].layer = "CR";
  EXPECT_EQ(complaint(c),
            "E320 order: machine 'artificial' has no layer 'CR' | did you mean "
            "'COR'?");
}

TEST(Validate, the_same_layer_may_exist_on_another_machine) {
  Config c = good();
  c.layers = {"COR", "MM", "L1", "L2"};
  c.split["k"][0].layer = c.order[1].layer = "MM";
  EXPECT_NO_THROW(
      validate(c, computation(matvec_text, {{"I", 6}, {"K", 5}}), machine::find_machine("openmp")));
  EXPECT_EQ(complaint(c).substr(0, 4), "E320");
}

TEST(Validate, dimensions_exist_in_the_program) {
  Config c = good();
  c.split["kk"] = {{"L1", 2}};
  EXPECT_EQ(complaint(c), "E321 split: program 'matvec' has no dimension 'kk' | did you mean 'k'?");
  c = good();
  c.order[3].dimension = "rows";
  EXPECT_EQ(complaint(c), "E321 order: program 'matvec' has no dimension 'rows' | known: i, k");
}

TEST(Validate, a_layer_is_listed_once) {
  Config c = good();
  c.layers = {"COR", "HM", "L1", "COR"};
  EXPECT_EQ(complaint(c),
            "E322 layers: 'COR' is listed twice | each layer has one place in the "
            "order of significance");
  c.layers = {"HM", "COR", "L1"};
  expect_accepted(c);
}

TEST(Validate, parts_are_positive_and_bounded) {
  const std::string hint = " | a level has 1 to 2^40 parts";
  for (const int64_t parts : {int64_t{0}, int64_t{-3}, (int64_t{1} << 40) + 1}) {
    Config c = good();
    c.split["i"][0].parts = parts;
    EXPECT_EQ(complaint(c),
              fmt::format("E323 split.i: \"COR {}\" has no valid number of parts{}", parts, hint));
  }
  Config c = good();
  c.split["i"] = {{"COR", 1}, {"L1", 6}};
  expect_accepted(c);
  c.split["i"][1].parts = int64_t{1} << 40;
  expect_accepted(c);
}

TEST(Validate, layers_in_use_are_listed) {
  Config c = good();
  c.layers = {"COR", "L1"};
  EXPECT_EQ(complaint(c),
            "E324 split.k: layer 'HM' is missing in \"layers\" | list every layer "
            "that is used, most significant first");
  c = good();
  c.split["k"] = {{"L1", 5}};
  c.order.erase(c.order.begin() + 1);
  c.layers = {"COR", "L1"};
  expect_accepted(c);
}

TEST(Validate, layers_that_are_listed_need_not_be_used) {
  Config c = good();
  c.split["k"] = {{"L1", 5}};
  expect_accepted(c);
}

TEST(Validate, digits_follow_the_order_of_the_layers) {
  Config c = good();
  std::swap(c.split["i"][0], c.split["i"][1]);
  EXPECT_EQ(complaint(c),
            "E325 split.i: 'COR' is out of order or used twice | digits follow the "
            "order of \"layers\": COR, HM, L1");
  c.layers = {"HM", "L1", "COR"};
  expect_accepted(c);
}

TEST(Validate, a_layer_is_one_digit_of_a_dimension) {
  Config c = good();
  c.split["i"] = {{"COR", 2}, {"COR", 1}, {"L1", 3}};
  EXPECT_EQ(complaint(c),
            "E325 split.i: 'COR' is out of order or used twice | digits follow the "
            "order of \"layers\": COR, HM, L1");
  c.split["i"] = {{"COR", 2}, {"HM", 1}, {"L1", 3}};
  expect_accepted(c);
}

TEST(Validate, parts_cover_the_size_and_may_exceed_it) {
  const Config c = good();
  for (const int64_t k : {1, 4, 5, 6}) expect_accepted(c, {{"I", 6}, {"K", k}});
  EXPECT_EQ(complaint(c, {{"I", 6}, {"K", 7}}),
            "E326 split.k: 6 parts do not cover the size 7 (full partitioning) | multiply one of "
            "the counts by at least 2");
  EXPECT_EQ(complaint(c, {{"I", 19}, {"K", 5}}),
            "E326 split.i: 6 parts do not cover the size 19 (full partitioning) | multiply one of "
            "the counts by at least 4");
}

TEST(Validate, a_dimension_without_digits_has_one_part) {
  Config c = good();
  c.split.erase("k");
  expect_accepted(c, {{"I", 6}, {"K", 1}});
  EXPECT_EQ(complaint(c).substr(0, 40), "E326 split.k: 1 parts do not cover the s");
  c.split["k"] = {};
  expect_accepted(c, {{"I", 6}, {"K", 1}});
  EXPECT_EQ(complaint(c).substr(0, 40), "E326 split.k: 1 parts do not cover the s");
}

TEST(Validate, the_product_of_parts_stays_within_64_bits) {
  Config c = good();
  c.split["k"] = {{"COR", int64_t{1} << 20}, {"HM", int64_t{1} << 40}};
  c.order = {{"COR", "k"}, {"HM", "k"}, {"COR", "i"}, {"L1", "i"}};
  expect_accepted(c);
  c.split["k"][0].parts += 1;
  EXPECT_EQ(complaint(c), "E327 split.k: more parts than 64-bit indices allow");
  c.split["k"][0].parts = int64_t{1} << 40;  // 2^80 wraps around to 0
  EXPECT_EQ(complaint(c), "E327 split.k: more parts than 64-bit indices allow");
}

TEST(Validate, a_level_has_one_place_in_the_order) {
  Config c = good();
  c.order.push_back({"HM", "k"});
  EXPECT_EQ(complaint(c), "E328 order: level HM.k occurs twice | every level is one loop");
  c.order.back() = {"HM", "i"};  // a level with one part
  expect_accepted(c);
}

TEST(Validate, every_level_with_several_parts_has_a_place_in_the_order) {
  Config c = good();
  c.order.pop_back();
  EXPECT_EQ(complaint(c),
            "E329 order: level L1.k has 3 parts, but no place | add \"L1.k\" to \"order\"");
  c.split["k"] = {{"HM", 5}, {"L1", 1}};
  expect_accepted(c);
}

TEST(Validate, any_order_of_the_levels_is_accepted) {
  Config c = good();
  Random random(5);
  for (int n = 0; n < 24; ++n) {
    random.shuffle(c.order);
    expect_accepted(c);
  }
}

TEST(Validate, levels_are_written_layer_dot_dimension) {
  EXPECT_EQ(to_string(LevelName{"L1", "k"}), "L1.k");
}

}  // namespace
}  // namespace mdh::ll
