// What the evaluator notices: undefined elements, races, wrong teams.
#include <gtest/gtest.h>

#include "mdh/loop/test_runs.h"

namespace mdh::loop::evaluate_races_test {
namespace {

// ---- the memory model

TEST(LoopEvaluate, reading_an_undefined_element_is_reported) {
  EXPECT_EQ(complaint("load a = y[1];"), "element 1 of 'y' is read before it is written");
  // Wrong digits decide about the first write: row 1 is combined with nothing.
  EXPECT_EQ(complaint("loop p { loop q { accumulate (y[i]) first (p) from (x[i, k]); } }"),
            "element 1 of 'y' is read before it is written");
}

TEST(LoopEvaluate, an_index_outside_of_its_buffer_is_reported) {
  EXPECT_EQ(complaint("load a = x[0, 4];"), "index 4 is outside of [0, 4)");
}

/// Share a of three stores to `to`.
std::string store(const std::string& to, const std::string& team = "cores") {
  return fmt::format("deal {} (a < 3) {{ load v = x[a, 0]; store {} = v; }}", team, to);
}

/// The share of three whose counter is 0 loads from `from`.
std::string load_in_part_0(const std::string& counter, const std::string& from,
                           const std::string& team = "cores") {
  return fmt::format("deal {0} ({1} < 3) {{ if {1} == 0 {{ load w = {2}; }} }}", team, counter,
                     from);
}

TEST(LoopEvaluate, two_parts_that_write_one_element_race) {
  for (const std::string team : {"cores", "grid", "all"}) {
    EXPECT_EQ(complaint(store("y[0]", team)), "race: element 0 of 'y' is written by two parts");
    EXPECT_EQ(complaint(store("y[a]", team)), fine);
  }
}

TEST(LoopEvaluate, a_part_that_reads_what_another_one_wrote_needs_a_barrier) {
  const std::string race = "race: element 1 of 't' is read while another part writes it";
  EXPECT_EQ(complaint(store("t[0, a]") + load_in_part_0("b", "t[0, 1]")), race);
  EXPECT_EQ(complaint(store("t[0, a]") + load_in_part_0("a", "t[0, 1]")), race);
  EXPECT_EQ(complaint(store("t[0, a]") + "load w = t[0, 1];"), race);
  EXPECT_EQ(complaint(store("t[0, a]") + "barrier cores;" + load_in_part_0("b", "t[0, 1]")), fine);
}

TEST(LoopEvaluate, a_part_that_overwrites_what_another_one_read_needs_a_barrier) {
  const std::string begin = store("t[0, a]") + "barrier cores;" + load_in_part_0("b", "t[0, 1]");
  EXPECT_EQ(complaint(begin + store("t[0, a]")),
            "race: element 1 of 't' is written while another part reads it");
  EXPECT_EQ(complaint(begin + "barrier cores;" + store("t[0, a]")), fine);
}

TEST(LoopEvaluate, two_deals_that_write_one_element_need_a_barrier) {
  const std::string again = "deal cores () { load u = x[0, 0]; store t[0, 2] = u; }";
  EXPECT_EQ(complaint(store("t[0, a]") + again), "race: element 2 of 't' is written by two parts");
  EXPECT_EQ(complaint(store("t[0, a]") + "barrier cores;" + again), fine);
}

TEST(LoopEvaluate, equal_shares_are_one_owner) {
  EXPECT_EQ(complaint(store("t[0, a]") + store("t[0, a]")), fine);
  EXPECT_EQ(complaint(store("t[0, a]") + load_in_part_0("a", "t[0, 0]")), fine);
}

TEST(LoopEvaluate, shares_with_other_names_numbers_or_neighbours_have_other_owners) {
  const std::string race = "race: element 0 of 't' is read while another part writes it";
  EXPECT_EQ(complaint(store("t[0, a]") + load_in_part_0("b", "t[0, 0]")), race);
  EXPECT_EQ(complaint(store("t[0, a]") + "deal cores (a < 4) { if a == 0 { load w = t[0, 0]; } }"),
            race);
  EXPECT_EQ(complaint(store("t[0, a]") +
                      "deal cores (a < 3, c < 2) { if a == 0 && c == 0 { load w = t[0, 0]; } }"),
            race);
  EXPECT_EQ(complaint(store("t[0, a]") + "deal cores () { load w = t[0, 0]; }"), race);
}

TEST(LoopEvaluate, collective_deals_have_owners_of_their_own) {
  const std::string collective =
      "deal cores (a < 3) collective { if a == 0 { load w = t[0, 0]; } }";
  EXPECT_EQ(complaint(store("t[0, a]") + collective),
            "race: element 0 of 't' is read while another part writes it");
  EXPECT_EQ(complaint(store("t[0, a]") + "barrier cores;" + collective), fine);
}

TEST(LoopEvaluate, shares_that_are_dealt_in_another_way_have_other_owners) {
  const auto load = [](const std::string& dealing) {
    return "deal cores (a < 3) " + dealing + " { if a == 0 { load w = t[0, 0]; } }";
  };
  const std::string in_turn = "deal cores (a < 3) cyclic { load v = x[a, 0]; store t[0, a] = v; }";
  const std::string race = "race: element 0 of 't' is read while another part writes it";
  EXPECT_EQ(complaint(in_turn + load("cyclic")), fine);
  EXPECT_EQ(complaint(in_turn + load("cyclic on 2")), fine);
  EXPECT_EQ(complaint(in_turn + load("")), race);
  EXPECT_EQ(complaint(store("t[0, a]") + load("cyclic")), race);
}

TEST(LoopEvaluate, nobody_owns_what_is_dealt_dynamically) {
  const std::string load = "deal cores (a < 3) dynamic { load w = t[0, a]; }";
  const std::string both =
      "deal cores (a < 3) dynamic { load v = x[a, 0]; store t[0, a] = v; load u = t[0, a]; }";
  EXPECT_EQ(complaint(both), fine) << "one share is on one core";
  EXPECT_NE(complaint(both + load), fine);
  EXPECT_NE(complaint(store("t[0, a]") + load), fine);
  EXPECT_NE(complaint("for - n < 2 sequential { " + both + " }"), fine) << "the same one again";
  EXPECT_EQ(complaint("for - n < 2 sequential { " + both + " barrier cores; }"), fine);
}

TEST(LoopEvaluate, temporaries_that_members_do_not_share_must_be_per_them) {
  const std::string body =
      "deal cores (c < 3) { load a = x[c, 0]; store u[] = a; load b = u[]; store y[c] = b; }";
  const std::string digit = "digit c: COR.i < 3 of i step 1 cores\n";
  EXPECT_EQ(complaint(body, {digit, "buffer temporary u: i64[] in L1 of core per (c)\n"}), fine);
  EXPECT_EQ(complaint(body, {digit, "buffer temporary u: i64[] in L1 of core per ()\n"}),
            "race: element 0 of 'u' is written by two parts");
}

// ---- grids of teams

/// Members g of the grid, each of which has cores that store and then read what others stored.
std::string grid_of_teams(const std::string& between) {
  return R"(
    deal grid (g < 3) {
      deal cores (c < 4) { load a = x[g, c]; store u[c] = a; })" +
         between + R"(
      deal cores (e < 4) { if e == 0 { load b = u[3]; store y[g] = b; } }
    })";
}

More shared_per(const std::string& digits) {
  return {R"(digit g: BLK.i < 3 of i step 1 grid
digit c: THR.k < 4 of k step 1 cores
)",
          "buffer temporary u: i64[4] in SM of group per (" + digits + ")\n"};
}

TEST(LoopEvaluate, cores_of_a_member_of_the_grid_wait_for_themselves) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(result(grid_of_teams("barrier cores;"), shared_per("g"), seed),
              (std::vector<int64_t>{4, 8, 8}));
  }
  EXPECT_EQ(complaint(grid_of_teams(""), shared_per("g")),
            "race: element 3 of 'u' is read while another part writes it");
}

TEST(LoopEvaluate, members_of_the_grid_must_not_share_what_their_cores_exchange) {
  EXPECT_NE(complaint(grid_of_teams("barrier cores;"), shared_per("")), fine);
}

TEST(LoopEvaluate, a_barrier_of_cores_does_not_order_members_of_the_grid) {
  const std::string race = "race: element 1 of 't' is read while another part writes it";
  const std::string write = store("t[0, a]", "grid");
  const std::string read = load_in_part_0("a", "t[0, 1]", "grid");
  EXPECT_EQ(complaint(write + read), race);
  EXPECT_EQ(complaint(write + "barrier cores;" + read), race);
  EXPECT_EQ(complaint(write + "barrier grid;" + read), fine);
  EXPECT_EQ(complaint(write + "barrier all;" + read), fine);
}

TEST(LoopEvaluate, all_cores_and_those_of_the_grid_are_different_ones) {
  // Share a of all cores is not a core of member a of the grid.
  EXPECT_EQ(complaint(store("t[0, a]", "all") + load_in_part_0("a", "t[0, 0]", "grid")),
            "race: element 0 of 't' is read while another part writes it");
}

TEST(LoopEvaluate, a_member_of_the_grid_begins_with_all_of_its_cores) {
  // What core 3 of a member stored is read by core 0 of the same member in the next Deal.
  EXPECT_EQ(complaint(R"(
    deal grid (g < 3) { deal cores (c < 4) { load a = x[g, c]; store u[c] = a; } }
    deal grid (g < 3) { deal cores (e < 4) { if e == 0 { load b = u[3]; store y[g] = b; } } })",
                      shared_per("g")),
            fine);
}

// ---- warps

/// Eight cores in warps of two: each stores, and reads what the core beside it stored, which is in
/// the same warp or in the next one.
std::string neighbours(const std::string& between, int64_t distance) {
  return fmt::format(R"(
    deal grid (g < 3) {{
      deal cores (b < 4, e < 2) {{ load a = x[g, b]; store n[b * 2 + e] = a; }}
      {}
      deal cores (d < 4, h < 2) collective {{ load a = n[(d * 2 + h + {}) % 8]; }}
      barrier cores;
      deal cores (b < 4, e < 2) {{ if b + e == 0 {{ load a = n[0]; store y[g] = a; }} }}
    }})",
                     between, distance);
}

const More in_warps{R"(digit g: BLK.i < 3 of i step 1 grid
warp 2
)",
                    "buffer temporary n: i64[8] in SM of group per (g)\n"};

TEST(LoopEvaluate, a_barrier_of_warps_separates_neighbours_but_not_warps) {
  const std::string race = "race: element 1 of 'n' is read while another part writes it";
  EXPECT_EQ(complaint(neighbours("barrier cores;", 1), in_warps), fine);
  EXPECT_EQ(complaint(neighbours("barrier warp;", 0), in_warps), fine);
  EXPECT_NE(complaint(neighbours("barrier warp;", 1), in_warps), fine) << "beyond its warp";
  EXPECT_NE(complaint(neighbours("", 0), in_warps), fine) << "whoever has a collective share";
}

TEST(LoopEvaluate, shares_beyond_all_cores_are_in_no_known_warp) {
  const std::string more_shares = R"(
    deal grid (g < 3) {
      deal cores (b < 2) { load a = x[g, b]; store n[b] = a; }
      barrier warp;
      deal cores (d < 4) collective { if d < 2 { load a = n[d]; } }
      barrier cores;
      deal cores (b < 2) { if b == 0 { load a = n[0]; store y[g] = a; } }
    })";
  EXPECT_NE(complaint(more_shares, in_warps), fine);
}

}  // namespace
}  // namespace mdh::loop::evaluate_races_test
