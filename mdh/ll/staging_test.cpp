#include "mdh/ll/staging.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::staging_test {
namespace {

using Texts = std::vector<std::string>;

std::string levels(const Program& p, const Nest& nest, const std::set<int>& loops) {
  std::vector<std::string> names;
  for (const int q : loops) names.push_back(to_string(p, nest.loops[q].level));
  return join(names, " ");
}

/// "buffer number REGION inside position from source team (levels) holds (levels)"
Texts staged(const std::string& entries, const hl::Program& program,
             const machine::Machine& machine) {
  const Program p = lowered(config(entries), program, machine);
  const Nest nest = nest_of(p, p.decompose, machine);
  Texts all;
  for (const Staging& s : stagings(p, nest, machine)) {
    all.push_back(fmt::format("{} {} {}{} inside {} from {} team ({}) holds ({})",
                              program.inputs[s.buffer].symbol.name, s.number, s.place.region,
                              s.is_hint ? " hint" : "", s.position, s.source,
                              levels(p, nest, s.team), levels(p, nest, s.free)));
  }
  return all;
}

Texts staged(const std::string& entries, const hl::Program& program, const std::string& machine) {
  return staged(entries, program, machine::find_machine(machine));
}

hl::Program dot(int64_t size) { return computation(dot_text, {{"K", size}}); }
hl::Program matvec(int64_t rows, int64_t columns) {
  return computation(matvec_text, {{"I", rows}, {"K", columns}});
}

const std::string three_loops = R"("layers": ["DM", "SM", "RM"],
  "split": {"k": ["DM 2", "SM 2", "RM 2"]}, "order": ["DM.k", "SM.k", "RM.k"])";

TEST(Staging, nothing_is_staged_where_nothing_is_said) {
  EXPECT_EQ(staged(three_loops, dot(8), "cuda"), Texts{});
}

TEST(Staging, every_change_of_place_holds_the_loops_inside_and_comes_from_the_one_before) {
  EXPECT_EQ(staged(three_loops + R"(, "stage": {"y": [{"from": "SM.k", "region": "SM"},
                                                      {"from": "RM.k", "region": "RM"}]})",
                   dot(8), "cuda"),
            (Texts{"y 0 SM inside 1 from -1 team () holds (SM.k RM.k)",
                   "y 1 RM inside 2 from 0 team () holds (RM.k)"}));
}

TEST(Staging, buffers_are_staged_one_after_the_other_each_from_its_own_source) {
  EXPECT_EQ(staged(three_loops + R"(, "stage": {
      "x": [{"from": "DM.k", "region": "SM"}, {"from": "f", "region": "RM"}],
      "y": [{"from": "SM.k", "region": "SM"}, {"from": "RM.k", "region": "RM"}]})",
                   dot(8), "cuda"),
            (Texts{"x 0 SM inside 0 from -1 team () holds (DM.k SM.k RM.k)",
                   "x 1 RM inside 3 from 0 team () holds ()",
                   "y 0 SM inside 1 from -1 team () holds (SM.k RM.k)",
                   "y 1 RM inside 2 from 2 team () holds (RM.k)"}));
}

TEST(Staging, a_place_that_stays_the_same_is_no_change) {
  EXPECT_EQ(staged(three_loops + R"(, "stage": {"x": [{"from": "SM.k", "region": "DM"}]})", dot(8),
                   "cuda"),
            Texts{});
}

/// A cache keeps what it likes: the next copy comes from the user's buffer.
TEST(Staging, hints_are_numbered_and_are_no_sources) {
  EXPECT_EQ(staged(R"("layers": ["MM", "L2", "L1"],
      "split": {"k": ["MM 2", "L2 2", "L1 2"]}, "order": ["MM.k", "L2.k", "L1.k"],
      "stage": {"x": [{"from": "L2.k", "region": "L2"}, {"from": "L1.k", "region": "REG"}]})",
                   dot(8), "cpu"),
            (Texts{"x 0 L2 hint inside 1 from -1 team () holds (L2.k L1.k)",
                   "x 1 REG inside 2 from -1 team () holds (L1.k)"}));
}

TEST(Staging, another_layout_makes_a_copy_of_a_cache) {
  EXPECT_EQ(staged(R"("layers": ["MM", "L1"], "split": {"i": ["L1 2"], "k": ["MM 2", "L1 3"]},
      "order": ["MM.k", "L1.i", "L1.k"],
      "stage": {"M": [{"from": "L1.i", "region": "L1", "layout": ["2", "1"]}]})",
                   matvec(2, 6), "cpu"),
            Texts{"M 0 L1 inside 1 from -1 team () holds (L1.i L1.k)"});
}

TEST(Staging, accesses_with_other_linear_parts_are_staged_for_themselves) {
  const hl::Program gram = hl::parse(
      "mdh 1\nprogram gram = out_view( C: i64 = [i, j] )"
      " * md_hom( i: 2 by cc, j: 3 by cc, k: 4 by pw(add) ) { C = A.1 * A.2; }"
      " * inp_view( A: i64 = [i, k], [j, k] )");
  EXPECT_EQ(staged(R"("layers": ["DM"], "split": {"i": ["DM 2"], "j": ["DM 3"], "k": ["DM 4"]},
      "order": ["DM.i", "DM.j", "DM.k"],
      "stage": {"A": [{"from": "DM.j", "region": "SM"}, {"from": "DM.k", "region": "RM"}]})",
                   gram, "cuda"),
            (Texts{"A 0 SM inside 1 from -1 team () holds (DM.j DM.k)",
                   "A 1 RM inside 2 from 0 team () holds (DM.k)",
                   "A 0 SM inside 1 from -1 team () holds (DM.j DM.k)",
                   "A 1 RM inside 2 from 2 team () holds (DM.k)"}));
}

// ---- teams

const std::string threads = R"("layers": ["SMX", "CC", "DM"],
  "split": {"i": ["SMX 2", "CC 4"], "k": ["DM 5"]}, "order": ["SMX.i", "CC.i", "DM.k"])";

TEST(Staging, cores_that_see_the_region_and_can_wait_are_a_team_and_their_data_are_held) {
  EXPECT_EQ(staged(threads + R"(, "stage": {"M": [{"from": "DM.k", "region": "SM"}]})",
                   matvec(8, 5), "cuda"),
            Texts{"M 0 SM inside 2 from -1 team (CC.i) holds (CC.i DM.k)"});
}

TEST(Staging, cores_that_do_not_see_the_region_are_none) {
  EXPECT_EQ(staged(threads + R"(, "stage": {"M": [{"from": "DM.k", "region": "RM"}]})",
                   matvec(8, 5), "cuda"),
            Texts{"M 0 RM inside 2 from -1 team () holds (DM.k)"});
}

TEST(Staging, cores_that_cannot_wait_are_none) {
  EXPECT_EQ(staged(threads + R"(, "stage": {"M": [{"from": "CC.i", "region": "DM",
                                                   "layout": ["2", "1"]}]})",
                   matvec(8, 5), "cuda"),
            Texts{"M 0 DM inside 1 from -1 team () holds (CC.i DM.k)"});
}

TEST(Staging, cores_inside_of_the_tile_are_none) {
  EXPECT_EQ(staged(threads + R"(, "stage": {"M": [{"from": "CC.i", "region": "SM"}]})",
                   matvec(8, 5), "cuda"),
            Texts{"M 0 SM inside 1 from -1 team () holds (CC.i DM.k)"});
}

/// A tile of each core, then one that all of them see: the source has the data of one core only.
TEST(Staging, cores_whose_data_are_not_in_the_source_are_none) {
  const machine::Machine odd{.name = "odd",
                             .layers = {{.name = "MM", .region = "MM"},
                                        {.name = "COR",
                                         .kind = machine::LayerKind::cores,
                                         .region = "MM",
                                         .barrier = true}},
                             .regions = {{.name = "MM"},
                                         {.name = "OWN", .is_explicit = true, .owner = "COR"},
                                         {.name = "ALL", .is_explicit = true}}};
  const std::string begin = R"("layers": ["COR", "MM"],
      "split": {"i": ["COR 2", "MM 3"], "k": ["MM 5"]}, "order": ["COR.i", "MM.i", "MM.k"], )";
  EXPECT_EQ(
      staged(begin + R"("stage": {"M": [{"from": "MM.k", "region": "ALL"}]})", matvec(6, 5), odd),
      Texts{"M 0 ALL inside 2 from -1 team (COR.i) holds (COR.i MM.k)"});
  EXPECT_EQ(staged(begin + R"("stage": {"M": [{"from": "MM.i", "region": "OWN"},
                                              {"from": "MM.k", "region": "ALL"}]})",
                   matvec(6, 5), odd),
            (Texts{"M 0 OWN inside 1 from -1 team () holds (MM.i MM.k)",
                   "M 1 ALL inside 2 from 0 team () holds (MM.k)"}));
}

// ---- separate phases

/// f reads in its own order: below the common loops there is one tile for all of it.
TEST(Staging, below_the_common_loops_what_f_reads_is_staged_whole) {
  EXPECT_EQ(staged(R"("layers": ["HM", "L1"],
      "split": {"i": ["HM 2"], "k": ["HM 2", "L1 3"]}, "order": ["HM.i", "HM.k", "L1.k"],
      "stage": {"v": [{"from": "L1.k", "region": "L1"}]},
      "phases": {"recomposition": {"order": ["HM.i", "L1.k", "HM.k"]}})",
                   matvec(2, 6), "artificial"),
            Texts{"v 0 L1 inside 1 from -1 team () holds (HM.k L1.k)"});
}

TEST(Staging, above_the_end_of_the_common_loops_everything_is_as_ever) {
  EXPECT_EQ(staged(R"("layers": ["HM", "L1"],
      "split": {"i": ["HM 2"], "k": ["HM 2", "L1 3"]}, "order": ["HM.i", "HM.k", "L1.k"],
      "stage": {"v": [{"from": "HM.i", "region": "L1"}]},
      "phases": {"recomposition": {"order": ["HM.i", "L1.k", "HM.k"]}})",
                   matvec(2, 6), "artificial"),
            Texts{"v 0 L1 inside 0 from -1 team () holds (HM.i HM.k L1.k)"});
}

TEST(Staging, registers_are_the_regions_of_replicated_layers) {
  const machine::Machine &cpu = machine::find_machine("cpu"), &cuda = machine::find_machine("cuda");
  EXPECT_TRUE(is_register(cpu, "REG"));
  EXPECT_FALSE(is_register(cpu, "L1"));
  EXPECT_FALSE(is_register(cuda, "RM"));
}

}  // namespace
}  // namespace mdh::ll::staging_test
