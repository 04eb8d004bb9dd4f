#include "mdh/ll/footprint.h"

#include <gtest/gtest.h>

#include "mdh/ll/rules.h"
#include "mdh/ll/test_configs.h"

namespace mdh::ll::footprint_test {
namespace {

const RegionCount& region(const Footprint& f, const std::string& name) {
  for (const RegionCount& one : f.regions) {
    if (one.region == name) return one;
  }
  ADD_FAILURE() << "no region " << name;
  return f.regions.front();
}

Footprint counted(const std::string& entries, const hl::Program& program,
                  const std::string& machine) {
  const machine::Machine& m = machine::find_machine(machine);
  const Config c = config(entries);
  return footprint(lowered(c, program, m), m);
}

hl::Program matvec(int64_t rows, int64_t columns) {
  return computation(matvec_text, {{"I", rows}, {"K", columns}});
}

// ---- the decoded TVM schedule: 100 blocks of 80 threads, 28,672 bytes shared, 2 accumulators

TEST(Footprint, teams_of_the_tvm_schedule) {
  const Footprint f = counted(tvm_entries, tvm_matmul(), "cuda");
  ASSERT_EQ(f.teams.size(), 2u);
  EXPECT_EQ(f.teams[0].layer, "SMX");
  EXPECT_EQ(f.teams[0].members.number(), 100);
  EXPECT_EQ(f.teams[1].layer, "CC");
  EXPECT_EQ(f.teams[1].members.number(), 80);
  EXPECT_EQ(f.teams[1].active.number(), 80);
  EXPECT_EQ(f.fused_loops, 8);
}

TEST(Footprint, tiles_of_the_tvm_schedule) {
  const Footprint f = counted(tvm_entries, tvm_matmul(), "cuda");
  ASSERT_EQ(f.tiles.size(), 2u);
  const TileCount &a = f.tiles[0], &b = f.tiles[1];
  EXPECT_EQ(a.buffer, "A");
  EXPECT_EQ(a.extents, (std::vector<int64_t>{8, 256}));
  EXPECT_EQ(b.extents, (std::vector<int64_t>{256, 20}));
  EXPECT_EQ(a.elements, 2048);
  EXPECT_EQ(b.elements, 5120);
  EXPECT_EQ(a.bytes, 8192);
  EXPECT_EQ(a.team, (std::vector<Level>{{2, 0}, {2, 1}})) << "all threads copy, j or not";
  EXPECT_EQ(b.team, a.team);
  EXPECT_EQ(a.position, 5);
  EXPECT_FALSE(a.is_hint);
  EXPECT_EQ(a.fills.number(), 2 * 50 * 8);
  EXPECT_EQ(b.traffic.number(), int64_t{800} * 5120 * 4);
  EXPECT_EQ(region(f, "SM").bytes, 28672);
}

TEST(Footprint, accumulators_of_the_tvm_schedule) {
  const Footprint f = counted(tvm_entries, tvm_matmul(), "cuda");
  ASSERT_EQ(f.accumulators.size(), 1u);
  EXPECT_EQ(f.accumulators[0].buffer, "C");
  EXPECT_EQ(f.accumulators[0].place.region, "RM");
  EXPECT_EQ(f.accumulators[0].position, 4);
  EXPECT_EQ(f.accumulators[0].elements, 2);
  EXPECT_EQ(f.accumulators[0].slots, 1);
  EXPECT_EQ(f.accumulators[0].flushes.number(), 8000);
  EXPECT_EQ(f.accumulators[0].traffic.number(), 8000 * 2 * 4);
  EXPECT_EQ(region(f, "RM").bytes, 8);
  EXPECT_EQ(region(f, "DM").bytes, 0);
}

/// Figure 15 starts 8 · 16 threads, whichever other layers have parts.
TEST(Footprint, threads_are_the_parts_on_layers_of_cores) {
  const std::string rest = R"(,
    "split": {"i": ["HM 2", "COR 8", "L1 32"], "k": ["HM 4", "COR 16", "L1 64"]},
    "order": ["HM.i", "HM.k", "COR.i", "COR.k", "L1.i", "L1.k"])";
  const Footprint f =
      counted(R"("layers": ["HM", "COR", "L1"])" + rest, matvec(512, 4096), "artificial");
  EXPECT_EQ(f.teams[0].members.number(), 128);
}

TEST(Footprint, active_members_are_those_that_hold_points) {
  const Footprint f = counted(
      R"("layers": ["COR", "L1"], "split": {"i": ["COR 8", "L1 10"], "k": ["L1 5"]},
         "order": ["COR.i", "L1.i", "L1.k"])",
      matvec(33, 5), "artificial");
  EXPECT_EQ(f.teams[0].members.number(), 8);
  EXPECT_EQ(f.teams[0].active.number(), 4);
}

// ---- levels

/// MatVec 6 x 4 of 8 bytes; k in parts of 2, i whole inside, then the rest of k.
TEST(Footprint, levels_count_iterations_working_sets_and_traffic) {
  const Footprint f = counted(
      R"("layers": ["HM", "L1"], "split": {"i": ["L1 6"], "k": ["HM 2", "L1 2"]},
         "order": ["HM.k", "L1.i", "L1.k"])",
      matvec(6, 4), "artificial");
  ASSERT_EQ(f.levels.size(), 3u);
  EXPECT_EQ(f.levels[0].layer, "HM");
  EXPECT_EQ(f.levels[0].iterations.number(), 2);
  EXPECT_EQ(f.levels[1].iterations.number(), 12);
  EXPECT_EQ(f.levels[2].iterations.number(), 24);
  // Half of M's columns, half of v, all of w.
  EXPECT_EQ(f.levels[0].working_set.number(), 8 * (12 + 2 + 6));
  EXPECT_EQ(f.levels[1].working_set.number(), 8 * (2 + 2 + 1));
  EXPECT_EQ(f.levels[2].working_set.number(), 8 * (1 + 1 + 1));
  // w does not depend on HM.k, v not on L1.i.
  EXPECT_EQ(f.levels[0].traffic.number(), 8 * (2 * 12 + 2 * 2 + 6));
  EXPECT_EQ(f.levels[1].traffic.number(), 8 * (12 * 2 + 2 * 2 + 12 * 1));
  EXPECT_EQ(f.levels[2].traffic.number(), 8 * (24 + 24 + 12));
}

// ---- accumulators

TEST(Footprint, a_reduction_over_cores_has_a_slot_per_member) {
  const Footprint f = counted(
      R"("layers": ["COR", "L1"], "split": {"k": ["COR 8", "L1 125"]}, "order": ["COR.k", "L1.k"])",
      computation(dot_text, {{"K", 1000}}), "artificial");
  ASSERT_EQ(f.accumulators.size(), 1u);
  EXPECT_EQ(f.accumulators[0].elements, 1);
  EXPECT_EQ(f.accumulators[0].slots, 8);
  EXPECT_EQ(f.accumulators[0].bytes, 64);
  EXPECT_EQ(f.accumulators[0].position, 0) << "slots lie outside of the cores";
  EXPECT_EQ(f.accumulators[0].place.region, "HM");
  EXPECT_EQ(f.accumulators[0].flushes.number(), 8);
  EXPECT_EQ(region(f, "HM").bytes, 64);
}

TEST(Footprint, slots_hold_the_elements_inside_and_exist_once_per_outer_core) {
  const Footprint f = counted(
      R"("layers": ["COR", "L1"], "split": {"i": ["COR 2", "L1 3"], "k": ["COR 4", "L1 5"]},
         "order": ["COR.i", "COR.k", "L1.i", "L1.k"])",
      matvec(6, 20), "artificial");
  ASSERT_EQ(f.accumulators.size(), 1u);
  EXPECT_EQ(f.accumulators[0].elements, 3);
  EXPECT_EQ(f.accumulators[0].slots, 4);
  EXPECT_EQ(f.accumulators[0].bytes, 3 * 4 * 8);
  EXPECT_EQ(f.accumulators[0].position, 1);
  EXPECT_EQ(region(f, "HM").bytes, 2 * 3 * 4 * 8) << "two cores of COR.i, each with its slots";
}

TEST(Footprint, sequential_reductions_accumulate_in_the_users_buffer) {
  const Footprint f = counted(R"("layers": ["HM", "L1"], "split": {"i": ["L1 6"], "k": ["HM 5"]},
                                 "order": ["HM.k", "L1.i"])",
                              matvec(6, 5), "artificial");
  EXPECT_TRUE(f.accumulators.empty());
  for (const RegionCount& one : f.regions) EXPECT_EQ(one.bytes, 0) << one.region;
}

hl::Program sums() {
  return hl::parse(
      "mdh 1\nprogram sums = out_view( y: i64 = [i] ) * md_hom( i: 4 by ps(add), k: 6 by pw(add) )"
      " { y = x; } * inp_view( x: i64 = [i, k] )");
}

TEST(Footprint, a_scan_inside_of_a_reduction_has_a_buffer_of_its_own) {
  const std::string split = R"("layers": ["L1"], "split": {"i": ["L1 4"], "k": ["L1 6"]}, )";
  EXPECT_TRUE(
      counted(split + R"("order": ["L1.i", "L1.k"])", sums(), "artificial").accumulators.empty());
  const Footprint f = counted(split + R"("order": ["L1.k", "L1.i"])", sums(), "artificial");
  ASSERT_EQ(f.accumulators.size(), 1u);
  EXPECT_EQ(f.accumulators[0].position, 1);
  EXPECT_EQ(f.accumulators[0].elements, 4);
  EXPECT_EQ(f.accumulators[0].flushes.number(), 6);
}

TEST(Footprint, a_scan_in_a_new_accumulator_needs_no_other) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram sums = out_view( y: i64 = [i, j] )"
      " * md_hom( i: 4 by ps(add), j: 3 by cc, k: 6 by pw(add) ) { y = x; }"
      " * inp_view( x: i64 = [i, j, k] )");
  const Footprint f = counted(
      R"("layers": ["L1"], "split": {"i": ["L1 4"], "j": ["L1 3"], "k": ["L1 6"]},
         "order": ["L1.k", "L1.j", "L1.i"], "acc": {"y": [{"inside": "L1.j", "region": "L1"}]})",
      p, "artificial");
  ASSERT_EQ(f.accumulators.size(), 1u);
  EXPECT_EQ(f.accumulators[0].elements, 12);
}

TEST(Footprint, an_output_that_two_points_write_is_accumulated_by_points) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram meet = out_view( y: i64 = [i + j] ) * md_hom( i: 3 by cc, j: 4 by cc )"
      " { y = 1; } * inp_view( )");
  const Footprint f = counted(
      R"("layers": ["L1"], "split": {"i": ["L1 3"], "j": ["L1 4"]}, "order": ["L1.i", "L1.j"])", p,
      "artificial");
  ASSERT_EQ(f.accumulators.size(), 1u);
  EXPECT_EQ(f.accumulators[0].position, 0);
  EXPECT_EQ(f.accumulators[0].elements, 12);
}

TEST(Footprint, results_of_all_points_wait_between_unfused_phases) {
  const Footprint f = counted(
      R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 3"], "k": ["HM 4", "L1 5"]},
         "order": ["HM.i", "HM.k", "L1.i", "L1.k"],
         "phases": {"recomposition": {"order": ["HM.i", "L1.k", "L1.i", "HM.k"]}})",
      matvec(6, 20), "artificial");
  EXPECT_EQ(f.fused_loops, 1);
  ASSERT_EQ(f.accumulators.size(), 1u);
  EXPECT_EQ(f.accumulators[0].position, 1);
  EXPECT_EQ(f.accumulators[0].elements, 3 * 20);
  EXPECT_EQ(f.accumulators[0].flushes.number(), 2);
  EXPECT_EQ(f.accumulators[0].traffic.number(), 2 * 60 * 8);
}

TEST(Footprint, several_accesses_of_an_output_have_an_element_each) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram pair = out_view( y: i64 = a: [2 * i], b: [2 * i + 1] )"
      " * md_hom( i: 3 by cc, k: 4 by pw(add) ) { a = x; b = x + 1; } * inp_view( x: i64 = [i, k] "
      ")");
  const Footprint f = counted(
      R"("layers": ["HM", "L1"], "split": {"i": ["L1 3"], "k": ["L1 4"]}, "order": ["L1.i", "L1.k"],
         "acc": {"y": [{"inside": "L1.k", "region": "L1"}]})",
      p, "artificial");
  ASSERT_EQ(f.accumulators.size(), 2u) << "not injective, and in L1";
  EXPECT_EQ(f.accumulators[1].elements, 2);
  EXPECT_EQ(f.accumulators[0].elements, 6);
}

// ---- tiles

/// C = A B on the cpu: B is packed in L2, A is only hinted at, both end in registers.
const std::string packed = R"("layers": ["COR", "L2", "L1", "REG", "SIMD"],
  "split": {"i": ["L2 2", "L1 4", "REG 2"], "j": ["COR 2", "L1 2", "REG 2", "SIMD 4"],
            "k": ["L2 2", "L1 8"]},
  "order": ["COR.j", "L2.k", "L2.i", "L1.j", "L1.i", "L1.k", "REG.i", "REG.j", "SIMD.j"],
  "stage": {"B": [{"from": "L2.i", "region": "L2", "layout": ["j@L1", "k@L1", "j@REG", "j@SIMD"]},
                  {"from": "REG.i", "region": "REG"}],
            "A": [{"from": "L1.j", "region": "L1"}, {"from": "REG.i", "region": "REG"}]},
  "acc": {"C": [{"inside": "L1.k", "region": "REG"}]})";

hl::Program f32_matmul(int64_t i, int64_t j, int64_t k) {
  return computation(f32_matmul_text, {{"I", i}, {"J", j}, {"K", k}});
}

TEST(Footprint, a_region_alone_is_a_hint_where_it_is_a_cache) {
  const Footprint f = counted(packed, f32_matmul(16, 32, 16), "cpu");
  ASSERT_EQ(f.tiles.size(), 4u);
  const TileCount &a = f.tiles[0], &b = f.tiles[2];
  EXPECT_EQ(a.buffer, "A");
  EXPECT_TRUE(a.is_hint) << "L1 is a cache and the layout is kept";
  EXPECT_EQ(a.elements, 8 * 8);
  EXPECT_EQ(a.bytes, 8 * 8 * 4);
  EXPECT_EQ(b.buffer, "B");
  EXPECT_FALSE(b.is_hint) << "another layout is a copy";
  EXPECT_EQ(b.elements, 16 * 8);
  EXPECT_EQ(b.fills.number(), 2 * 2);
  EXPECT_FALSE(f.tiles[1].is_hint) << "registers are explicit";
  EXPECT_EQ(f.tiles[1].elements, 2);
  EXPECT_EQ(f.tiles[3].elements, 8);
  EXPECT_EQ(f.tiles[3].staging, 1);
}

TEST(Footprint, regions_hold_the_tiles_of_one_core) {
  const Footprint f = counted(packed, f32_matmul(16, 32, 16), "cpu");
  EXPECT_EQ(region(f, "L2").bytes, 16 * 8 * 4);
  EXPECT_EQ(region(f, "L1").bytes, 8 * 8 * 4);
  EXPECT_EQ(region(f, "REG").bytes, 4 * (2 + 8 + 16));
}

TEST(Footprint, pads_and_depths_count_in_copies_only) {
  const std::string code =
      R"(, "code": {"stage": {"B": [{"pad": 3, "depth": 2}], "A": [{"pad": 3, "depth": 2}]}})";
  const Footprint f = counted(packed + code, f32_matmul(16, 32, 16), "cpu");
  // The last axis of the layout is j@SIMD, 4 wide: 32 lines get 3 elements each.
  EXPECT_EQ(f.tiles[2].bytes, 2 * (16 * 8 + 32 * 3) * 4);
  EXPECT_EQ(f.tiles[2].elements, 16 * 8);
  EXPECT_EQ(f.tiles[0].bytes, 8 * 8 * 4) << "a hint stores nothing";
  EXPECT_EQ(f.tiles[1].bytes, 2 * 4) << "the second tile has a description of its own";
}

TEST(Footprint, padding_lengthens_the_last_axis_of_the_layout) {
  const Footprint f = counted(
      R"("layers": ["L1"], "split": {"i": ["L1 6"], "k": ["L1 5"]}, "order": ["L1.i", "L1.k"],
         "stage": {"M": [{"from": "L1.i", "region": "L1", "layout": ["k", "i"]}]},
         "code": {"stage": {"M": [{"pad": 2}]}})",
      matvec(6, 5), "artificial");
  EXPECT_EQ(f.tiles[0].bytes, 5 * (6 + 2) * 8);
}

TEST(Footprint, padding_comes_behind_a_line_of_several_dimensions) {
  const auto bytes = [](const std::string& code, const std::string& layout) {
    return counted(
               R"("layers": ["L1"], "split": {"i": ["L1 6"], "k": ["L1 5"]}, "order": ["L1.i",
                  "L1.k"], "stage": {"M": [{"from": "L1.i", "region": "L1", "layout": )" +
                   layout + R"(}]}, "code": {"stage": {"M": [)" + code + "]}}",
               matvec(6, 5), "artificial")
        .tiles[0]
        .bytes;
  };
  for (const std::string layout : {R"(["k", "i"])", R"(["k@L1", "i@L1"])"}) {
    EXPECT_EQ(bytes(R"({"pad": 2, "line": 2})", layout), (5 * 6 + 2) * 8) << layout;
    EXPECT_EQ(bytes(R"({"pad": 2, "line": 9})", layout), (5 * 6 + 2) * 8) << "all there are";
    EXPECT_EQ(bytes(R"({"line": 2})", layout), 5 * 6 * 8) << layout;
    EXPECT_EQ(bytes(R"({"swizzle": 2})", layout), 5 * 8 * 8) << "two pieces of 16 bytes each";
  }
}

TEST(Footprint, registers_hold_what_is_read_and_not_its_box) {
  const hl::Program star = hl::parse(
      "mdh 1\nprogram star = out_view( y: f32 = [i, j] ) * md_hom( i: 6 by cc, j: 8 by cc )"
      " { y = c + n + s + w + e; } * inp_view( x: f32 = c: [i + 1, j + 1], n: [i, j + 1],"
      " s: [i + 2, j + 1], w: [i + 1, j], e: [i + 1, j + 2] )");
  const Footprint f = counted(
      R"("layers": ["L1", "REG"], "split": {"i": ["L1 3", "REG 2"], "j": ["L1 4", "REG 2"]},
         "order": ["L1.i", "L1.j", "REG.i", "REG.j"],
         "stage": {"x": [{"from": "L1.j", "region": "L1", "layout": ["2", "1"]},
                         {"from": "REG.i", "region": "REG", "layout": ["1", "2"]}]})",
      star, "cpu");
  ASSERT_EQ(f.tiles.size(), 2u) << "one family";
  EXPECT_EQ(f.tiles[0].elements, 4 * 10) << "the box of a row of tiles";
  EXPECT_EQ(f.tiles[1].extents, (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(f.tiles[1].elements, 12) << "without the corners";
}

TEST(Footprint, accesses_with_other_linear_parts_have_tiles_of_their_own) {
  const hl::Program gram = hl::parse(
      "mdh 1\nprogram gram = out_view( G: i64 = [i, j] ) * md_hom( i: 4 by cc, j: 6 by cc,"
      " k: 5 by pw(add) ) { G = a * b; } * inp_view( A: i64 = a: [i, k], b: [j, k] )");
  const Footprint f = counted(
      R"("layers": ["L1"], "split": {"i": ["L1 4"], "j": ["L1 6"], "k": ["L1 5"]},
         "order": ["L1.i", "L1.j", "L1.k"], "stage": {"A": [{"from": "L1.j", "region": "L1"}]})",
      gram, "artificial");
  ASSERT_EQ(f.tiles.size(), 2u);
  EXPECT_EQ(f.tiles[0].elements, 5);
  EXPECT_EQ(f.tiles[0].fills.number(), 4);
  EXPECT_EQ(f.tiles[1].elements, 30);
  EXPECT_EQ(f.tiles[1].fills.number(), 1) << "it does not depend on i";
  EXPECT_EQ(region(f, "L1").bytes, 8 * 35);
}

/// Threads share a tile in SM, and each has its own copy in RM; the source of the second copy holds
/// the data of all.
TEST(Footprint, cores_that_share_a_region_share_the_tile) {
  const Footprint f = counted(
      R"("layers": ["SMX", "CC", "SM", "RM"], "split": {"i": ["SMX 2", "CC 4", "RM 2"], "k": ["SM 2", "RM 5"]},
         "order": ["SMX.i", "CC.i", "SM.k", "RM.i", "RM.k"],
         "stage": {"M": [{"from": "SM.k", "region": "SM"}, {"from": "RM.k", "region": "RM"}]})",
      matvec(16, 10), "cuda");
  ASSERT_EQ(f.tiles.size(), 2u);
  EXPECT_EQ(f.tiles[0].team, (std::vector<Level>{{1, 0}}));
  EXPECT_EQ(f.tiles[0].elements, 8 * 10);
  EXPECT_EQ(f.tiles[0].fills.number(), 2);
  EXPECT_TRUE(f.tiles[1].team.empty());
  EXPECT_EQ(f.tiles[1].elements, 5);
  EXPECT_EQ(f.tiles[1].fills.number(), 16 * 2);
  EXPECT_EQ(region(f, "SM").bytes, 8 * 80);
  EXPECT_EQ(region(f, "RM").bytes, 8 * 5);
}

TEST(Footprint, a_copy_moves_out_of_loops_it_does_not_depend_on_but_not_out_of_cores) {
  const Footprint f = counted(
      R"("layers": ["COR", "L1"], "split": {"i": ["COR 2", "L1 3"], "k": ["L1 5"]},
         "order": ["COR.i", "L1.i", "L1.k"], "stage": {"v": [{"from": "L1.k", "region": "L1"}]})",
      matvec(6, 5), "artificial");
  EXPECT_EQ(f.tiles[0].fills.number(), 2) << "once per core";
}

/// A region of each core, then one that all of them see: what comes from a private tile is not
/// filled together.
TEST(Footprint, cores_fill_a_tile_together_only_from_where_the_data_of_all_lies) {
  const machine::Machine m{.name = "odd",
                           .layers = {{.name = "MM", .region = "MM"},
                                      {.name = "COR",
                                       .kind = machine::LayerKind::cores,
                                       .region = "MM",
                                       .barrier = true}},
                           .regions = {{.name = "MM"},
                                       {.name = "OWN", .is_explicit = true, .owner = "COR"},
                                       {.name = "ALL", .is_explicit = true}}};
  Config c = config(R"("layers": ["COR", "MM"], "split": {"i": ["COR 2", "MM 3"], "k": ["MM 5"]},
      "order": ["COR.i", "MM.i", "MM.k"], "stage": {"M": [{"from": "MM.k", "region": "ALL"}]})");
  const auto tiles = [&] { return footprint(lowered(c, matvec(6, 5), m), m).tiles; };
  EXPECT_EQ(tiles()[0].team.size(), 1u) << "from the user's buffer";
  c.stage["M"].insert(c.stage["M"].begin(), {{"MM", "i"}, "OWN", {}});
  EXPECT_TRUE(tiles()[0].team.empty());
  EXPECT_TRUE(tiles()[1].team.empty());
  EXPECT_EQ(tiles()[1].elements, 5);
}

/// Blocks have no barrier: what they keep in device memory is a copy each.
TEST(Footprint, cores_that_cannot_wait_have_a_copy_each) {
  const Footprint f = counted(
      R"("layers": ["SMX", "DM"], "split": {"i": ["SMX 4", "DM 2"], "k": ["DM 5"]},
         "order": ["SMX.i", "DM.i", "DM.k"],
         "stage": {"M": [{"from": "DM.i", "region": "DM", "layout": ["2", "1"]}]})",
      matvec(8, 5), "cuda");
  EXPECT_TRUE(f.tiles[0].team.empty());
  EXPECT_EQ(f.tiles[0].elements, 10);
  EXPECT_EQ(region(f, "DM").bytes, 4 * 10 * 8);
}

TEST(Footprint, numbers_that_are_too_large_saturate) {
  const Footprint f = counted(
      R"("layers": ["HM", "L1"], "split": {"i": ["L1 1000000000000"], "j": ["L1 1000000000000"], "k": ["HM 2"]},
         "order": ["HM.k", "L1.i", "L1.j"], "acc": {"C": [{"inside": "L1.i", "region": "L1"}]},
         "stage": {"A": [{"from": "L1.i", "region": "L1"}], "B": [{"from": "L1.i", "region": "L1"}]})",
      f32_matmul(2, 2, 2), "artificial");
  EXPECT_EQ(f.accumulators[0].elements, INT64_MAX);
  EXPECT_EQ(f.accumulators[0].bytes, INT64_MAX);
  EXPECT_EQ(region(f, "L1").bytes, INT64_MAX);
}

// ---- open sizes

TEST(Footprint, of_an_open_size_is_symbolic) {
  const hl::Program p =
      hl::bind(hl::parse("mdh 1\nprogram matvec<I: size = *> = out_view( w: i64 = [i] )"
                         " * md_hom( i: I by cc, k: 4 by pw(add) ) { w = M * v; }"
                         " * inp_view( M: i64 = [i, k]; v: i64 = [k] )"),
               {});
  const std::string entries =
      R"("layers": ["COR", "L1"], "split": {"i": ["COR *", "L1 8"], "k": ["L1 4"]},
         "order": ["COR.i", "L1.i", "L1.k"], "stage": {"M": [{"from": "L1.i", "region": "L1"}]})";
  const Footprint f = counted(entries, p, "artificial");
  EXPECT_EQ(f.teams[0].members.to_string(), "ceil(I / 8)");
  EXPECT_EQ(f.levels[2].iterations.to_string(), "32 * ceil(I / 8)");
  EXPECT_EQ(f.tiles[0].elements, 32);
  EXPECT_EQ(f.tiles[0].fills.to_string(), "ceil(I / 8)");
  EXPECT_EQ(region(f, "L1").bytes, 256);
}

// ---- printing

TEST(Footprint, is_printed_as_tables) {
  const machine::Machine& m = machine::find_machine("cuda");
  const Program low = lowered(config(tvm_entries), tvm_matmul(), m);
  EXPECT_EQ(print(footprint(low, m), low),
            R"(levels
  level  parts  active  iterations  working set    traffic
  SMX.i      2       2           2      8289536    8387072
  SMX.j     50      50         100       230016   16579072
  CC.i       4       4         400       180384   23001600
  CC.j      20      20        8000        24584   72153600
  DM.k       8       8       64000         3080  196672000
  DM.i       2       2      128000         2052  197120000
  SM.k     128     128    16384000           20  262656000
  RM.k       2       2    32768000           12  262656000
cores
  layer  members  active
  SMX        100     100
  CC          80      80
tiles
  tile  region  from  extents  elements  bytes  fills   traffic  shared by
  A         SM  DM.i    8x256      2048   8192    800   6553600  CC.i,CC.j
  B         SM  DM.i   256x20      5120  20480    800  16384000  CC.i,CC.j
accumulators
  accumulator  region  inside  elements  slots  bytes  flushes  traffic
  C                RM    DM.k         2      1      8     8000    64000
regions, per instance
  region  bytes  capacity
  DM          0         -
  SM      28672         -
  RM          8         -
)");
}

TEST(Footprint, phases_that_are_not_fused_are_mentioned) {
  const machine::Machine& m = machine::find_machine("artificial");
  Config c = config(R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 3"], "k": ["L1 5"]},
      "order": ["HM.i", "L1.i", "L1.k"],
      "phases": {"recomposition": {"order": ["HM.i", "L1.k", "L1.i"]}})");
  const Program low = lowered(c, matvec(6, 5), m);
  const std::string text = print(footprint(low, m), low);
  const std::string phases = "phases\n  1 of 3 loops are common, the others run phase by phase\n";
  EXPECT_NE(text.find(phases), std::string::npos) << text;
}

TEST(Footprint, hard_limits_are_no_warnings) {
  const machine::Machine& m = machine::find_machine("gpu");
  Config c{.layers = {"SHR"}, .order = {{"SHR", "k"}}};
  c.split["k"] = {{"SHR", 40000}};
  c.stage["x"] = {{{"SHR", "k"}, "SM", {}}};
  const hl::Program dot = computation(dot_text, {{"K", 40000}});
  const Program low = program_of(parameters_of(c, dot, m), dot, m);
  EXPECT_TRUE(soft_limits(footprint(low, m), m).empty());
}

TEST(Footprint, soft_limits_are_sentences) {
  const machine::Machine& m = machine::find_machine("gpu");
  const Config c = config(
      R"("layers": ["REG"], "split": {"i": ["REG 16"], "k": ["REG 16"]}, "order": ["REG.i", "REG.k"],
         "stage": {"M": [{"from": "REG.i", "region": "RM"}]})");
  const Program low = lowered(c, matvec(16, 16), m);
  EXPECT_EQ(soft_limits(footprint(low, m), m),
            (std::vector<std::string>{
                "region RM holds 1020 bytes before it is slow; this configuration needs 2048"}));
  const Config smaller = config(
      R"("layers": ["DEV", "REG"], "split": {"i": ["DEV 16"], "k": ["REG 16"]},
         "order": ["DEV.i", "REG.k"], "stage": {"M": [{"from": "REG.k", "region": "RM"}]})");
  EXPECT_TRUE(soft_limits(footprint(lowered(smaller, matvec(16, 16), m), m), m).empty());
}

}  // namespace
}  // namespace mdh::ll::footprint_test
