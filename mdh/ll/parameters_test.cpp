#include "mdh/ll/parameters.h"
#include "mdh/ll/names.h"

#include <gtest/gtest.h>

#include "mdh/ll/names.h"
#include "mdh/ll/test_configs.h"

namespace mdh::ll::parameters_test {
namespace {

const machine::Machine& artificial() { return machine::find_machine("artificial"); }

hl::Program matvec(int64_t rows, int64_t columns) {
  return computation(matvec_text, {{"I", rows}, {"K", columns}});
}

/// The low-level figure of the paper: v is copied to L1, w is combined there, nothing else moves.
const std::string figure = R"("layers": ["HM", "COR", "L1"],
  "split": {"i": ["HM 2", "COR 8", "L1 32"], "k": ["HM 4", "COR 16", "L1 64"]},
  "order": ["HM.i", "HM.k", "COR.i", "COR.k", "L1.i", "L1.k"],
  "stage": {"v": [{"from": "L1.i", "region": "L1"}]},
  "acc": {"w": [{"inside": "L1.i", "region": "L1"}]})";

TEST(Parameters, of_the_papers_figure) {
  const Parameters p = parameters_of(config(figure), matvec(512, 4096), artificial());
  const std::vector<int64_t> parts = {2, 4, 8, 16, 32, 64};
  size_t n = 0;
  for (const auto& [level, count] : p.parts) EXPECT_EQ(count, parts[n++]);
  for (const auto& [level, slot] : p.recomposition.assignment) {
    EXPECT_EQ(slot.layer, p.layers[level.layer]);
    EXPECT_EQ(slot.axis, level.dimension == 0 ? "x" : "y");
  }
  EXPECT_EQ(p.decomposition, p.scalar);
  EXPECT_EQ(p.decomposition, p.recomposition);
  for (int l = 0; l < 3; ++l) {
    const std::string inner = l == 2 ? "L1" : "HM";
    for (int d = 0; d < 2; ++d) {
      const Level level{l, d};
      EXPECT_EQ(p.reads[0].at(level), (Place{"HM", {1, 2}}));
      EXPECT_EQ(p.reads[1].at(level), (Place{inner, {1}}));
      EXPECT_EQ(p.writes[0].at(level), (Place{inner, {1}}));
    }
  }
  EXPECT_EQ(p.f_reads, (std::vector<Place>{{"HM", {1, 2}}, {"L1", {1}}}));
  EXPECT_EQ(p.f_writes, (std::vector<Place>{{"L1", {1}}}));
}

TEST(Parameters, levels_that_are_left_out_have_one_part_and_come_last) {
  const Config c = config(R"("layers": ["L1"], "split": {"k": ["L1 5"]}, "order": ["L1.k"])");
  const Parameters p = parameters_of(c, matvec(1, 5), artificial());
  EXPECT_EQ(p.layers, (std::vector<std::string>{"L1", "HM", "COR"}));
  EXPECT_EQ(p.parts.at({0, 1}), 5);
  EXPECT_EQ(p.parts.size(), 6u);
  EXPECT_EQ(p.scalar.order.front(), (Level{0, 1}));
  EXPECT_EQ(p.scalar.order.size(), 6u);
}

TEST(Parameters, other_names_of_layers_and_regions_are_replaced) {
  const Parameters p =
      parameters_of(config(tvm_entries), tvm_matmul(), machine::find_machine("cuda"));
  EXPECT_EQ(p.layers, (std::vector<std::string>{"SMX", "DM", "CC", "SM", "RM"}));
  EXPECT_EQ(p.decomposition.assignment.at({2, 1}), (MachineLevel{"CC", "x"}));
  EXPECT_EQ(p.decomposition.assignment.at({2, 0}), (MachineLevel{"CC", "y"}));
  EXPECT_EQ(p.decomposition.assignment.at({1, 2}), (MachineLevel{"DM", "x"}));
}

// ---- the low-level program

TEST(Parameters, levels_of_one_part_are_no_operators) {
  const Config c = config(
      R"("layers": ["COR", "L1", "HM"], "split": {"i": ["COR 2", "L1 3"], "k": ["L1 5"]},
         "order": ["COR.i", "HM.k", "L1.i", "L1.k", "COR.k"],
         "stage": {"v": [{"from": "HM.k", "region": "L1"}]})");
  const Program low = lowered(c, matvec(6, 5), artificial());
  ASSERT_EQ(low.decompose.size(), 3u);
  EXPECT_EQ(low.layers, (std::vector<std::string>{"COR", "L1"}));
  EXPECT_EQ(low.decompose[1].level, (Level{1, 0}));
  EXPECT_EQ(low.decompose[0].places[1].region, "HM");
  EXPECT_EQ(low.decompose[1].places[1].region, "L1");
}

TEST(Parameters, a_place_at_f_differs_from_that_of_the_last_level) {
  const Config c = config(
      R"("layers": ["COR"], "split": {"i": ["COR 6"], "k": ["COR 5"]}, "order": ["COR.i", "COR.k"],
         "stage": {"v": [{"from": "f", "region": "L1"}]}, "acc": {"w": [{"inside": "f", "region": "L1"}]})");
  const Program low = lowered(c, matvec(6, 5), artificial());
  EXPECT_EQ(low.decompose[1].places[1].region, "HM");
  EXPECT_EQ(low.recompose[1].places[0].region, "HM");
  EXPECT_EQ(low.scalar.reads[1].region, "L1");
  EXPECT_EQ(low.scalar.writes[0].region, "L1");
}

TEST(Parameters, a_tile_without_a_layout_keeps_the_order_of_the_outer_dimensions) {
  const Config c = config(
      R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 3"], "k": ["L1 5"]},
         "order": ["HM.i", "L1.k", "L1.i"],
         "stage": {"M": [{"from": "HM.i", "region": "HM", "layout": ["i@HM", "k", "i@L1"]},
                         {"from": "L1.k", "region": "L1"}]})");
  const Program low = lowered(c, matvec(6, 5), artificial());
  EXPECT_EQ(low.decompose[0].places[0], (Place{"HM", {{1, "HM"}, 2, {1, "L1"}}}));
  EXPECT_EQ(low.scalar.reads[0], (Place{"L1", {2, 1}}));
}

TEST(Parameters, phases_have_orders_layers_and_machine_dimensions_of_their_own) {
  const Config c = config(
      R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 3"], "k": ["L1 5"]},
         "order": ["HM.i", "L1.k", "L1.i"], "tags": {"L1.k": "y"},
         "phases": {"scalar": {"tags": {"L1.k": "x"}},
                    "recomposition": {"order": ["L1.i", "L1.k", "HM.i"], "split": {"i": ["COR 2", "L1 3"]}}})");
  const Program low = lowered(c, matvec(6, 5), artificial());
  EXPECT_EQ(low.decompose[0].layer, "HM");
  EXPECT_EQ(low.decompose[1].dimension, "y");
  EXPECT_EQ(low.scalar.assignment[1].axis, "x");
  EXPECT_EQ(low.recompose[1].dimension, "y");
  EXPECT_EQ(low.recompose[2].level, (Level{0, 0}));
  EXPECT_EQ(low.recompose[2].layer, "COR");
}

TEST(Parameters, machine_dimensions_are_numbered_along_the_order) {
  EXPECT_EQ(machine_axis(0), "x");
  EXPECT_EQ(machine_axis(2), "z");
  EXPECT_EQ(machine_axis(3), "w4");
  EXPECT_EQ(machine_axis(9), "w10");
  const Config c = config(
      R"("layers": ["L1"], "split": {"i": ["L1 2"], "j": ["L1 2"], "k": ["L1 2"]},
         "order": ["L1.k", "L1.i", "L1.j"], "tags": {"L1.i": "x"})");
  const Program low =
      lowered(c, computation(matmul_text, {{"I", 2}, {"J", 2}, {"K", 2}}), artificial());
  EXPECT_EQ(low.decompose[0].dimension, "y");
  EXPECT_EQ(low.decompose[1].dimension, "x");
  EXPECT_EQ(low.decompose[2].dimension, "z");
}

// ---- there and back

void expect_found_again(const Config& c, const hl::Program& program, const machine::Machine& m) {
  const Parameters p = parameters_of(c, program, m);
  const Config found = config_of(p, program, m);
  ASSERT_TRUE(parameters_of(found, program, m) == p) << print(c) << "became\n" << print(found);
  ASSERT_TRUE(parse_config(print(found)) == found) << print(found);
  // The short way to the low-level program is the way through the parameters.
  Program low = program_of(p, program, m);
  low.code = with_machine_names(c, m).code;
  ASSERT_TRUE(program_of(c, program, m) == low) << print(c);
}

TEST(Parameters, of_random_configurations_are_found_again) {
  Random random(31);
  for (int n = 0; n < 400; ++n) {
    const hl::Program program = random_computation(random);
    const machine::Machine& m = random.pick(machine::machines());
    expect_found_again(random_config(random, program, m), program, m);
    if (HasFatalFailure()) return;
  }
}

TEST(Parameters, of_the_papers_examples_are_found_again) {
  expect_found_again(config(figure), matvec(512, 4096), artificial());
  expect_found_again(config(tvm_entries), tvm_matmul(), machine::find_machine("cuda"));
}

TEST(Parameters, digits_that_stay_in_the_next_region_are_found_again) {
  const Config c = config(
      R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 3"], "k": ["HM 2", "L1 3"]},
         "order": ["HM.k", "HM.i", "L1.k", "L1.i"],
         "stage": {"M": [{"from": "HM.i", "region": "HM", "layout": ["i@HM", "k@L1", "i@L1"]},
                         {"from": "L1.k", "region": "L1", "layout": ["k@L1", "i@L1"]},
                         {"from": "f", "region": "L1", "layout": ["k@L1", "i@L1"]}]})");
  expect_found_again(c, matvec(6, 5), artificial());
}

TEST(Parameters, machine_dimensions_that_differ_between_phases_are_found_again) {
  Config c = config(
      R"("layers": ["L1"], "split": {"i": ["L1 2"], "j": ["L1 2"], "k": ["L1 2"]},
         "order": ["L1.i", "L1.j", "L1.k"], "tags": {"L1.i": "z"},
         "phases": {"recomposition": {"order": ["L1.k", "L1.j", "L1.i"]}})");
  const hl::Program p = computation(matmul_text, {{"I", 2}, {"J", 2}, {"K", 2}});
  const Parameters parameters = parameters_of(c, p, artificial());
  EXPECT_EQ(parameters.decomposition.assignment.at({0, 1}).axis, "x");
  EXPECT_EQ(parameters.recomposition.assignment.at({0, 1}).axis, "y");
  expect_found_again(c, p, artificial());
}

TEST(Parameters, a_configuration_says_only_what_differs) {
  const Config found = config_of(parameters_of(config(figure), matvec(512, 4096), artificial()),
                                 matvec(512, 4096), artificial());
  Config expected = config(figure);
  expected.program = "matvec";
  expected.machine = "artificial";
  EXPECT_EQ(print(found), print(expected));
}

}  // namespace
}  // namespace mdh::ll::parameters_test
