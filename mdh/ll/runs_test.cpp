#include "mdh/ll/runs.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::runs_test {
namespace {

using Texts = std::vector<std::string>;

std::string names(const Program& p, const Nest& nest, const std::vector<int>& loops) {
  std::vector<std::string> all;
  for (const int q : loops) all.push_back(to_string(p, nest.loops[q].level));
  return join(all, " ");
}

struct Lowered {
  Lowered(const std::string& entries, const hl::Program& program, const std::string& name)
      : machine(machine::find_machine(name)),
        p(lowered(config(entries), program, machine)),
        nest(nest_of(p, p.recompose, machine)) {}

  const machine::Machine& machine;
  Program p;
  Nest nest;
};

/// "start REGION,...: levels; slots level; replicas levels", the last two if there are any.
Texts runs_of(const std::string& entries, const hl::Program& program, const std::string& machine) {
  const Lowered low(entries, program, machine);
  Texts all;
  for (const Run& run : runs(low.p, low.nest, low.machine)) {
    std::vector<std::string> regions;
    for (const Place& place : run.places) regions.push_back(place.region);
    std::string text =
        fmt::format("{} {}: {}", run.start, join(regions, ","), names(low.p, low.nest, run.levels));
    if (run.slots >= 0) text += "; slots " + names(low.p, low.nest, {run.slots});
    if (!run.replicas.empty()) text += "; replicas " + names(low.p, low.nest, run.replicas);
    all.push_back(text);
  }
  return all;
}

hl::Program dot(int64_t size) { return computation(dot_text, {{"K", size}}); }
hl::Program matvec(int64_t rows, int64_t columns) {
  return computation(matvec_text, {{"I", rows}, {"K", columns}});
}
hl::Program parsed(const std::string& text) { return hl::parse("mdh 1\nprogram " + text); }

TEST(Runs, without_places_or_teams_there_is_the_users_run_only) {
  EXPECT_EQ(runs_of(R"("layers": ["HM"], "split": {"i": ["HM 2"], "k": ["HM 3"]},
                       "order": ["HM.k", "HM.i"])",
                    matvec(2, 3), "artificial"),
            Texts{"-1 HM: HM.k HM.i"});
}

TEST(Runs, a_run_ends_where_the_place_changes) {
  EXPECT_EQ(runs_of(R"("layers": ["DM"], "split": {"i": ["DM 2"], "k": ["DM 3"]},
      "order": ["DM.k", "DM.i"],
      "acc": {"w": [{"inside": "DM.i", "region": "SM"}, {"inside": "f", "region": "RM"}]})",
                    matvec(2, 3), "cuda"),
            (Texts{"-1 DM: DM.k", "1 SM: DM.i", "2 RM: "}));
}

TEST(Runs, a_cache_without_a_layout_is_no_change) {
  const std::string begin = R"("layers": ["MM"], "split": {"i": ["MM 2"], "k": ["MM 3"]},
      "order": ["MM.k", "MM.i"], "acc": {"w": [{"inside": "MM.i", )";
  EXPECT_EQ(runs_of(begin + R"("region": "L1"}]})", matvec(2, 3), "cpu"),
            Texts{"-1 MM: MM.k MM.i"});
  EXPECT_EQ(runs_of(begin + R"("region": "REG"}]})", matvec(2, 3), "cpu"),
            (Texts{"-1 MM: MM.k", "1 REG: MM.i"}));
}

TEST(Runs, all_results_end_their_run_together) {
  const hl::Program two = parsed(
      "two = out_view( y: i64 = [i]; z: i64 = [i] ) * md_hom( i: 3 by cc, k: 4 by pw(add, max) )"
      " { y = x; z = x; } * inp_view( x: i64 = [i, k] )");
  EXPECT_EQ(runs_of(R"("layers": ["HM"], "split": {"i": ["HM 3"], "k": ["HM 4"]},
      "order": ["HM.k", "HM.i"], "acc": {"z": [{"inside": "HM.i", "region": "L1"}]})",
                    two, "artificial"),
            (Texts{"-1 HM,HM: HM.k", "1 HM,L1: HM.i"}));
}

// ---- teams

TEST(Runs, a_reduction_over_cores_ends_the_run_with_a_slot_each) {
  EXPECT_EQ(runs_of(R"("layers": ["COR", "HM"], "split": {"i": ["HM 2"], "k": ["COR 3", "HM 2"]},
      "order": ["HM.i", "COR.k", "HM.k"])",
                    matvec(2, 6), "artificial"),
            (Texts{"-1 HM: HM.i COR.k", "2 HM: HM.k; slots COR.k"}));
}

TEST(Runs, cores_that_are_not_reduced_do_not_end_a_run) {
  EXPECT_EQ(runs_of(R"("layers": ["COR", "HM"], "split": {"i": ["COR 2"], "k": ["HM 6"]},
      "order": ["COR.i", "HM.k"])",
                    matvec(2, 6), "artificial"),
            Texts{"-1 HM: COR.i HM.k"});
}

TEST(Runs, private_results_have_a_run_inside_of_the_slots) {
  EXPECT_EQ(runs_of(R"("layers": ["COR", "HM"], "split": {"i": ["HM 2"], "k": ["COR 3", "HM 2"]},
      "order": ["COR.k", "HM.i", "HM.k"], "acc": {"w": [{"inside": "HM.i", "region": "L1"}]})",
                    matvec(2, 6), "artificial"),
            (Texts{"-1 HM: COR.k", "1 HM: ; slots COR.k", "1 L1: HM.i HM.k"}));
}

TEST(Runs, nested_teams_have_slots_each) {
  EXPECT_EQ(runs_of(R"("layers": ["SMX", "CC", "DM"], "split": {"k": ["SMX 2", "CC 2", "DM 2"]},
      "order": ["SMX.k", "CC.k", "DM.k"], "acc": {"s": [{"inside": "CC.k", "region": "SM"}]})",
                    dot(8), "cuda"),
            (Texts{"-1 DM: SMX.k", "1 DM: ; slots SMX.k", "1 SM: CC.k", "2 SM: DM.k; slots CC.k"}));
}

/// Lanes of a warp may combine in registers, which they do not see of each other: they meet in the
/// fastest region that all of them see.
TEST(Runs, members_meet_where_all_of_them_can_read) {
  EXPECT_EQ(runs_of(R"("layers": ["THR", "DEV"], "split": {"k": ["THR 8", "DEV 2"]},
      "order": ["THR.k", "DEV.k"], "acc": {"s": [{"inside": "THR.k", "region": "RM"}]})",
                    dot(16), "gpu"),
            (Texts{"-1 DM: ", "0 RM: THR.k", "1 SM: DEV.k; slots THR.k"}));
}

// ---- scans and views

const std::string mbbs =
    "mbbs = out_view( y: i64 = [i] ) * md_hom( i: 4 by ps(add), k: 6 by pw(add) ) { y = x; }"
    " * inp_view( x: i64 = [i, k] )";

TEST(Runs, a_run_ends_before_a_scan_if_it_contains_a_reduction) {
  const std::string split = R"("layers": ["HM"], "split": {"i": ["HM 4"], "k": ["HM 6"]}, )";
  EXPECT_EQ(runs_of(split + R"("order": ["HM.k", "HM.i"])", parsed(mbbs), "artificial"),
            (Texts{"-1 HM: HM.k", "1 HM: HM.i"}));
  EXPECT_EQ(runs_of(split + R"("order": ["HM.i", "HM.k"])", parsed(mbbs), "artificial"),
            Texts{"-1 HM: HM.i HM.k"});
}

TEST(Runs, what_was_reduced_in_an_outer_run_does_not_count) {
  EXPECT_EQ(runs_of(R"("layers": ["HM"], "split": {"i": ["HM 4"], "k": ["HM 6"]},
      "order": ["HM.k", "HM.i"], "acc": {"y": [{"inside": "HM.i", "region": "L1"}]})",
                    parsed(mbbs), "artificial"),
            (Texts{"-1 HM: HM.k", "1 L1: HM.i"}));
}

TEST(Runs, an_output_that_two_points_write_is_accumulated_by_points) {
  EXPECT_EQ(runs_of(R"("layers": ["HM"], "split": {"i": ["HM 3"], "j": ["HM 4"]},
      "order": ["HM.i", "HM.j"])",
                    parsed("meet = out_view( y: i64 = [i + j] )"
                           " * md_hom( i: 3 by cc, j: 4 by cc ) { y = 1; } * inp_view( )"),
                    "artificial"),
            (Texts{"-1 HM: ", "0 HM: HM.i HM.j"}));
}

// ---- registers

TEST(Runs, replicated_reductions_with_loops_inside_have_results_of_their_own) {
  const std::string begin = R"("layers": ["L1", "SIMD"], "split": {"k": ["L1 2", "SIMD 4"]}, )";
  EXPECT_EQ(runs_of(begin + R"("order": ["SIMD.k", "L1.k"],
                               "acc": {"s": [{"inside": "SIMD.k", "region": "REG"}]})",
                    dot(8), "cpu"),
            (Texts{"-1 MM: ", "0 REG: SIMD.k L1.k; replicas SIMD.k"}));
  EXPECT_EQ(runs_of(begin + R"("order": ["L1.k", "SIMD.k"],
                               "acc": {"s": [{"inside": "L1.k", "region": "REG"}]})",
                    dot(8), "cpu"),
            (Texts{"-1 MM: ", "0 REG: L1.k SIMD.k"}));
  EXPECT_EQ(runs_of(begin + R"("order": ["SIMD.k", "L1.k"])", dot(8), "cpu"),
            Texts{"-1 MM: SIMD.k L1.k"})
      << "the user's buffers have one element";
}

/// A scan joins elements in place: there must be one of each.
TEST(Runs, a_run_that_scans_has_no_replicas) {
  EXPECT_EQ(runs_of(R"("layers": ["L1", "SIMD"], "split": {"i": ["L1 4"], "k": ["L1 2", "SIMD 3"]},
      "order": ["L1.i", "SIMD.k", "L1.k"], "acc": {"y": [{"inside": "L1.i", "region": "REG"}]})",
                    parsed(mbbs), "cpu"),
            (Texts{"-1 MM: ", "0 REG: L1.i SIMD.k L1.k"}));
}

TEST(Runs, replicated_parts_that_are_kept_are_elements_anyway) {
  EXPECT_EQ(runs_of(R"("layers": ["L1", "SIMD"], "split": {"i": ["SIMD 4"], "k": ["L1 6"]},
      "order": ["SIMD.i", "L1.k"], "acc": {"w": [{"inside": "SIMD.i", "region": "REG"}]})",
                    matvec(4, 6), "cpu"),
            (Texts{"-1 MM: ", "0 REG: SIMD.i L1.k"}));
}

// ---- scans on cores

TEST(ScanTeam, loops_inside_are_sorted_by_what_they_are_worth) {
  const hl::Program p = parsed(
      "lines = out_view( y: i64 = [i, j] )"
      " * md_hom( i: 48 by ps(add), j: 4 by cc, k: 2 by pw(add) ) { y = x; }"
      " * inp_view( x: i64 = [i, j, k] )");
  const Lowered low(R"("layers": ["HM", "L1", "COR"],
      "split": {"i": ["HM 3", "L1 4", "COR 4"], "j": ["HM 2", "L1 2"], "k": ["HM 2"]},
      "order": ["COR.i", "L1.i", "HM.j", "HM.i", "L1.j", "HM.k"])",
                    p, "artificial");
  const ScanTeam team = scan_team(low.p, low.nest, 0, low.machine);
  EXPECT_EQ(team.loop, 0);
  EXPECT_EQ(names(low.p, low.nest, team.coarse), "HM.i L1.i") << "most significant first";
  EXPECT_EQ(names(low.p, low.nest, team.fine), "");
  EXPECT_EQ(names(low.p, low.nest, team.lines), "HM.j L1.j") << "what is reduced is no line";
  ASSERT_EQ(team.places.size(), 1u);
  EXPECT_EQ(team.places[0].region, "HM");
}

TEST(ScanTeam, finer_loops_are_sorted_too) {
  const Lowered low(R"("layers": ["COR", "HM", "L1"], "split": {"i": ["COR 2", "HM 3", "L1 2"]},
      "order": ["COR.i", "L1.i", "HM.i"])",
                    parsed("scan = out_view( y: i64 = [i] ) * md_hom( i: 12 by ps(add) ) { y = x; }"
                           " * inp_view( x: i64 = [i] )"),
                    "artificial");
  EXPECT_EQ(names(low.p, low.nest, scan_team(low.p, low.nest, 0, low.machine).fine), "HM.i L1.i");
}

TEST(ScanTeam, loops_outside_are_fixed) {
  const Lowered low(R"("layers": ["HM", "COR", "L1"], "split": {"i": ["HM 2", "COR 3", "L1 2"]},
      "order": ["HM.i", "COR.i", "L1.i"])",
                    parsed("scan = out_view( y: i64 = [i] ) * md_hom( i: 12 by ps(add) ) { y = x; }"
                           " * inp_view( x: i64 = [i] )"),
                    "artificial");
  const ScanTeam team = scan_team(low.p, low.nest, 1, low.machine);
  EXPECT_TRUE(team.coarse.empty());
  EXPECT_EQ(names(low.p, low.nest, team.fine), "L1.i");
}

TEST(ScanTeam, a_loop_is_a_scan_if_it_is_neither_kept_nor_reduced) {
  const Lowered low(R"("layers": ["HM"], "split": {"i": ["HM 4"], "k": ["HM 6"]},
      "order": ["HM.i", "HM.k"])",
                    parsed(mbbs), "artificial");
  EXPECT_TRUE(is_scan(low.nest.loops[0]));
  EXPECT_FALSE(is_scan(low.nest.loops[1]));
  const Lowered kept(R"("layers": ["HM"], "split": {"i": ["HM 2"]}, "order": ["HM.i"])",
                     matvec(2, 1), "artificial");
  EXPECT_FALSE(is_scan(kept.nest.loops[0]));
}

}  // namespace
}  // namespace mdh::ll::runs_test
