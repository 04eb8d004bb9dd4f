#include <gtest/gtest.h>

#include "mdh/ll/config.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll::validate_test {
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
  EXPECT_EQ(
      complaint(c),
      "E327 split.k: more parts than 64-bit indices allow | a dimension has at most 2^60 parts");
  c.split["k"][0].parts = int64_t{1} << 40;  // 2^80 wraps around to 0
  EXPECT_EQ(
      complaint(c),
      "E327 split.k: more parts than 64-bit indices allow | a dimension has at most 2^60 parts");
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

// ---- phases

TEST(Validate, a_phase_has_the_parts_of_the_others) {
  Config c = good();
  c.phases["recomposition"].split["i"] = {{"HM", 2}, {"L1", 3}};
  expect_accepted(c);
  const std::string hint = " | a phase may put its levels on other layers, with the same parts";
  for (const std::vector<Digit>& digits : {std::vector<Digit>{{"HM", 3}, {"L1", 2}},
                                           {{"HM", 2}},
                                           {{"HM", 2}, {"L1", 3}, {"COR", 1}}}) {
    c.phases["recomposition"].split["i"] = digits;
    EXPECT_EQ(
        complaint(c),
        "E351 phases.recomposition.split.i: the counts differ from those of \"split\"" + hint);
  }
  c.phases["recomposition"].split["i"] = {{"HM", 2}, {"HM", 3}};
  EXPECT_EQ(complaint(c),
            "E351 phases.recomposition.split.i: 'HM' is used twice | every level of the machine is "
            "assigned once (bijection)");
}

TEST(Validate, phases_use_known_names) {
  Config c = good();
  c.phases["scalar"].split["i"] = {{"L3", 2}, {"L1", 3}};
  EXPECT_EQ(complaint(c).substr(0, 75),
            "E320 phases.scalar.split.i: machine 'artificial' has no layer 'L3' | did yo");
  c = good();
  c.phases["scalar"].split["j"] = {{"L1", 3}};
  EXPECT_EQ(complaint(c).substr(0, 66),
            "E321 phases.scalar.split: program 'matvec' has no dimension 'j' | ");
  c = good();
  c.phases["scalar"].order = {{"COR", "i"}, {"HM", "k"}, {"L1", "i"}};
  EXPECT_EQ(complaint(c),
            "E329 phases.scalar.order: level L1.k has 3 parts, but no place | add \"L1.k\" to "
            "\"phases.scalar.order\"");
  c.phases["scalar"].order = {{"COR", "i"}, {"COR", "i"}};
  EXPECT_EQ(complaint(c),
            "E328 phases.scalar.order: level COR.i occurs twice | every level is one loop");
}

// ---- tags

TEST(Validate, only_tags_of_cores_are_about_code) {
  const Config plain = config(R"("layers": ["COR", "L1"], "split": {"i": ["COR 2", "L1 4"]},
                                  "order": ["COR.i", "L1.i"])");
  const hl::Program program = computation(
      "copy = out_view( y: f32 = [i] ) * md_hom( i: 8 by cc ) { y = x; }"
      " * inp_view( x: f32 = [i] )",
      {});
  const machine::Machine& machine = machine::find_machine("artificial");
  const auto axes = [&](const Tags& tags) {
    Config c = plain;
    c.tags = tags;
    return valid_program(c, program, machine).axes;
  };
  EXPECT_EQ(axes({}), std::vector<std::string>{});
  EXPECT_EQ(axes({{"L1.i", "x"}}), std::vector<std::string>{});
  EXPECT_EQ(axes({{"COR.i", "x"}, {"L1.i", "x"}}), std::vector<std::string>{"COR"});
}

TEST(Validate, tags_name_levels_and_dimensions_of_the_machine) {
  Config c = good();
  c.tags = {{"COR.i", "y"}, {"L1.k", "x"}};
  expect_accepted(c);
  c.tags = {{"COR", "x"}};
  EXPECT_EQ(complaint(c),
            "E317 tags: cannot read the level \"COR\" | write LAYER.dimension, such as \"L1.k\"");
  c.tags = {{"L3.i", "x"}};
  EXPECT_EQ(complaint(c).substr(0, 53), "E320 tags: machine 'artificial' has no layer 'L3' | d");
  c.tags = {{"L1.j", "x"}};
  EXPECT_EQ(complaint(c).substr(0, 50), "E321 tags: program 'matvec' has no dimension 'j' |");
  c.tags = {{"L1.i", "z"}};
  EXPECT_EQ(complaint(c), "E350 tags: L1.i has no dimension 'z' | one of x, y");
  c.tags.clear();
  c.phases["scalar"].tags = {{"L1.i", "q"}};
  EXPECT_EQ(complaint(c), "E350 phases.scalar.tags: L1.i has no dimension 'q' | one of x, y");
}

TEST(Validate, no_level_of_the_machine_is_used_twice) {
  const std::string hint = " | give every level of a layer a dimension of its own";
  Config c = good();
  c.tags = {{"L1.i", "x"}, {"L1.k", "x"}};
  EXPECT_EQ(complaint(c),
            "E350 tags: L1.x is used by two levels in decomposition (bijection)" + hint);
  c.tags = {{"L1.i", "x"}, {"HM.k", "x"}};
  expect_accepted(c);
  c.phases["recomposition"].split["k"] = {{"L1", 2}, {"HM", 3}};
  EXPECT_EQ(complaint(c),
            "E350 tags: L1.x is used by two levels in recomposition (bijection)" + hint);
  c.phases["recomposition"].tags = {{"HM.k", "y"}};
  expect_accepted(c);
  c.phases["scalar"].tags = {{"L1.k", "x"}};
  EXPECT_EQ(complaint(c), "E350 tags: L1.x is used by two levels in scalar (bijection)" + hint);
}

// ---- open levels

TEST(Validate, an_open_level_is_the_most_significant_one) {
  Config c = good();
  c.split["i"][0].parts = open_parts;
  expect_accepted(c);
  expect_accepted(c, {{"I", 1000}, {"K", 5}});
  c.split["i"] = {{"COR", 2}, {"L1", open_parts}};
  EXPECT_EQ(complaint(c),
            "E354 split.i: the open level \"L1 *\" is not the first | only the most significant "
            "digit may be open");
}

TEST(Validate, an_open_level_has_no_limit) {
  const hl::Program p = computation(matvec_text, {{"I", 6}, {"K", 1}});
  const auto verdict_on = [&](const char* machine, const char* layer) {
    Config c{.layers = {layer}, .order = {{layer, "i"}}};
    c.split["i"] = {{layer, open_parts}};
    const Diagnostic d = diagnostic_of([&] { validate(c, p, machine::find_machine(machine)); });
    return d.code + " " + d.message;
  };
  EXPECT_EQ(verdict_on("cuda", "CC"),
            "E354 split.i: layer CC has a limit, so its level cannot be open");
  EXPECT_EQ(verdict_on("gpu", "WRP").substr(0, 4), "E354");
  EXPECT_EQ(verdict_on("cpu", "SIMD").substr(0, 4), "E354");
  EXPECT_EQ(verdict_on("cpu", "REG").substr(0, 4), "E354");
  for (const auto& [machine, layer] : {std::pair("cuda", "SMX"), std::pair("cpu", "COR"),
                                       std::pair("gpu", "BLK"), std::pair("cpu", "L1")}) {
    EXPECT_EQ(verdict_on(machine, layer), " (no error was raised)") << machine << " " << layer;
  }
}

TEST(Validate, a_size_known_at_run_time_has_an_open_level) {
  const hl::Program p =
      hl::bind(hl::parse("mdh 1\nprogram sum<K: size = *> = out_view( s: i64 = [] )"
                         " * md_hom( k: K by pw(add) ) { s = x; } * inp_view( x: i64 = [k] )"),
               {});
  Config c{.layers = {"COR", "L1"}, .order = {{"COR", "k"}, {"L1", "k"}}};
  c.split["k"] = {{"COR", 4}, {"L1", 8}};
  const machine::Machine& m = machine::find_machine("artificial");
  const Diagnostic d = diagnostic_of([&] { validate(c, p, m); });
  EXPECT_EQ(
      d.code + " " + d.message + " | " + d.hint,
      "E354 split.k: the size is known at run time only, but no level is open | give the most "
      "significant digit as many parts as needed, such as \"L1 *\"");
  c.split["k"][0].parts = open_parts;
  EXPECT_NO_THROW(validate(c, p, m));
}

TEST(Validate, other_names_of_layers_are_the_same_layers) {
  const hl::Program p = computation(matvec_text, {{"I", 6}, {"K", 5}});
  const Config c = parse_config(R"({"mdh_config": 1, "layers": ["BLK", "THR", "DEV"],
    "split": {"i": ["SMX 2", "CC 3"], "k": ["DM 5"]}, "order": ["BLK.i", "CC.i", "DEV.k"],
    "stage": {"v": [{"from": "DM.k", "region": "SM", "layout": ["k@DEV"]}]},
    "tags": {"THR.i": "y"}, "phases": {"scalar": {"order": ["SMX.i", "THR.i", "DM.k"]}},
    "code": {"cores": {"BLK": {"count": 2}}, "kernel": {"unroll": {"DEV.k": 2}}}})");
  EXPECT_NO_THROW(validate(c, p, machine::find_machine("cuda")));
}

TEST(Validate, levels_are_written_layer_dot_dimension) {
  EXPECT_EQ(to_string(LevelName{"L1", "k"}), "L1.k");
}

}  // namespace
}  // namespace mdh::ll::validate_test
