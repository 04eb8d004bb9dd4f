#include "mdh/passes/concrete/barriers.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::barriers_test {
namespace {

const More more{"digit g: BLK.i < 7 of i step 1 grid\n",
                "buffer temporary u: i64[7] in MM of all per ()\n"
                "buffer temporary z: i64[7] in SM of group per (g)\n"};

/// A Deal that writes or reads an element of a buffer, in shares like "c < 7".
std::string deal(const std::string& what, const std::string& shares,
                 const std::string& attributes = "") {
  return fmt::format("deal cores ({}) {} {{ {} }}", shares, attributes, what);
}
std::string writes(const std::string& to, const std::string& shares,
                   const std::string& attributes = "") {
  return deal("load a = v[0]; store " + to + " = a;", shares, attributes);
}
std::string reads(const std::string& from, const std::string& shares,
                  const std::string& attributes = "") {
  return deal("load a = " + from + ";", shares, attributes);
}

const std::string wait = "barrier cores;";

void expect_separated(const std::string& first, const std::string& second) {
  expect_rewrite(barriers, first + second, first + wait + second, more);
}

TEST(Barriers, a_barrier_separates_a_write_and_a_read_of_other_shares) {
  expect_separated(writes("u[c]", "c < 7"), reads("u[e]", "e < 7"));
  expect_separated(writes("u[c]", "c < 7"), reads("u[c]", "c < 7, e < 2"));
  expect_separated(writes("u[e]", "e < 7"), reads("u[e]", "e < 6"));
  expect_separated(writes("u[0]", "c < 7, e < 2"), reads("u[0]", "e < 2, c < 7"));
}

TEST(Barriers, a_barrier_separates_a_read_and_a_write_and_two_writes) {
  expect_separated(reads("u[c]", "c < 7"), writes("u[e]", "e < 7"));
  expect_separated(writes("u[c]", "c < 7"), writes("u[e]", "e < 7"));
}

TEST(Barriers, equal_shares_need_none) {
  expect_unchanged(barriers, writes("u[c]", "c < 7") + reads("u[c]", "c < 7"), more);
  expect_unchanged(barriers, reads("u[c]", "c < 7") + writes("u[c]", "c < 7"), more);
}

TEST(Barriers, readers_and_users_of_different_buffers_need_none) {
  expect_unchanged(barriers, reads("u[c]", "c < 7") + reads("u[e]", "e < 7"), more);
  expect_unchanged(barriers, writes("u[c]", "c < 7") + writes("w[e]", "e < 7"), more);
}

TEST(Barriers, collective_deals_meet_other_shares_even_in_equal_ones) {
  expect_separated(writes("u[c]", "c < 7"), reads("u[c]", "c < 7", "collective"));
  expect_separated(writes("u[c]", "c < 7", "collective"), reads("u[c]", "c < 7"));
}

TEST(Barriers, shares_that_are_dealt_in_another_way_meet_other_cores) {
  expect_separated(writes("u[c]", "c < 7", "cyclic"), reads("u[c]", "c < 7"));
  expect_separated(writes("u[c]", "c < 7"), reads("u[c]", "c < 7", "cyclic"));
  expect_unchanged(barriers,
                   writes("u[c]", "c < 7", "cyclic") + reads("u[c]", "c < 7", "cyclic on 3"), more);
}

TEST(Barriers, nobody_owns_what_is_dealt_dynamically) {
  expect_separated(writes("u[c]", "c < 7", "dynamic"), reads("u[c]", "c < 7", "dynamic"));
  expect_separated(writes("u[c]", "c < 7", "dynamic"), reads("u[c]", "c < 7"));
  expect_separated(writes("u[c]", "c < 7"), reads("u[c]", "c < 7", "dynamic"));
  expect_unchanged(barriers, reads("u[c]", "c < 7", "dynamic") + reads("u[c]", "c < 7", "dynamic"),
                   more);
}

TEST(Barriers, what_is_dealt_dynamically_waits_for_its_own_last_round) {
  const std::string body = writes("u[c]", "c < 7", "dynamic");
  expect_rewrite(barriers, "for - n < 3 sequential { " + body + " }",
                 "for - n < 3 sequential { " + wait + body + " }", more);
  expect_unchanged(barriers, "for - n < 3 sequential { " + writes("u[c]", "c < 7", "cyclic") + " }",
                   more);
}

TEST(Barriers, one_barrier_is_for_all_buffers) {
  const std::string both = deal("load a = v[0]; store u[c] = a; store w[c] = a;", "c < 7");
  expect_rewrite(barriers, both + reads("u[e]", "e < 7") + reads("w[e]", "e < 7"),
                 both + wait + reads("u[e]", "e < 7") + reads("w[e]", "e < 7"), more);
}

TEST(Barriers, what_happened_before_other_statements_is_not_forgotten) {
  expect_rewrite(
      barriers, writes("u[c]", "c < 7") + reads("w[e]", "e < 6") + reads("u[e]", "e < 7"),
      writes("u[c]", "c < 7") + reads("w[e]", "e < 6") + wait + reads("u[e]", "e < 7"), more);
}

TEST(Barriers, any_of_several_earlier_users_counts) {
  // The last reader has the shares of the writer, an earlier one has others.
  expect_rewrite(
      barriers, reads("u[e]", "e < 7") + reads("u[c]", "c < 7") + writes("u[c]", "c < 7"),
      reads("u[e]", "e < 7") + reads("u[c]", "c < 7") + wait + writes("u[c]", "c < 7"), more);
}

TEST(Barriers, uses_at_any_depth_count) {
  expect_separated(
      deal("for - e < 7 sequential { if c == 0 { load a = v[0]; store u[e] = a; } }", "c < 7"),
      reads("u[e]", "e < 7"));
}

TEST(Barriers, a_temporary_that_begins_anew_is_touched_when_it_is_written) {
  expect_unchanged(barriers, reads("u[c]", "c < 7") + deal("alloc u;", "e < 7"), more);
}

// ---- loops

TEST(Barriers, the_end_of_a_body_meets_its_beginning) {
  const auto rounds = [](const std::string& body) {
    return "for L2.k r < 5 sequential {" + body + "}";
  };
  expect_rewrite(barriers, rounds(writes("u[c]", "c < 7") + reads("u[e]", "e < 7")),
                 rounds(wait + writes("u[c]", "c < 7") + wait + reads("u[e]", "e < 7")), more);
  expect_unchanged(barriers, rounds(writes("u[c]", "c < 7") + reads("u[c]", "c < 7")), more);
}

TEST(Barriers, what_a_loop_leaves_meets_what_follows) {
  const std::string loop = "for L2.k r < 5 sequential {" + writes("u[c]", "c < 7") + "}";
  expect_rewrite(barriers, loop + reads("u[e]", "e < 7"), loop + wait + reads("u[e]", "e < 7"),
                 more);
}

TEST(Barriers, a_loop_that_may_not_run_orders_nothing) {
  const auto loop = [](const std::string& body) {
    return "for - b < min(0, 1) sequential {" + body + "}";
  };
  // The barrier inside of the loop does not help the reader behind it.
  expect_rewrite(
      barriers, writes("u[c]", "c < 7") + loop(reads("u[e]", "e < 7")) + reads("u[e]", "e < 7"),
      writes("u[c]", "c < 7") + loop(wait + reads("u[e]", "e < 7")) + wait + reads("u[e]", "e < 7"),
      more);
}

TEST(Barriers, rounds_of_rounds_are_followed_to_the_end) {
  // What the inner loop reads in its last round meets the writer in the next round of the outer.
  expect_rewrite(barriers,
                 R"(for L2.k r < 5 sequential {)" + writes("u[c]", "c < 7") +
                     "for L3.k s < 2 sequential {" + reads("u[e]", "e < 7") + "} }",
                 R"(for L2.k r < 5 sequential {)" + wait + writes("u[c]", "c < 7") +
                     "for L3.k s < 2 sequential {" + wait + reads("u[e]", "e < 7") + "} }",
                 more);
}

// ---- branches

TEST(Barriers, a_barrier_in_one_branch_is_none_for_the_other_or_for_what_follows) {
  const std::string write = writes("u[c]", "c < 7"), read = reads("u[e]", "e < 7");
  expect_rewrite(barriers, write + "if 0 == 0 {" + read + "} else {" + read + "}",
                 write + "if 0 == 0 {" + wait + read + "} else {" + wait + read + "}", more);
  expect_rewrite(barriers, write + "if 0 == 0 {" + read + "}" + read,
                 write + "if 0 == 0 {" + wait + read + "}" + wait + read, more);
}

// ---- grids

std::string on_grid(const std::string& body, const std::string& shares = "g < 7") {
  return "deal grid (" + shares + ") {" + body + "}";
}

TEST(Barriers, members_of_a_grid_wait_for_each_other_between_deals) {
  const std::string write = on_grid(writes("u[g]", "c < 7"));
  const std::string read = on_grid(reads("u[h]", "c < 7"), "h < 7");
  expect_rewrite(barriers, write + read, write + "barrier grid;" + read, more);
}

TEST(Barriers, cores_of_a_member_wait_for_themselves_inside) {
  expect_rewrite(barriers, on_grid(writes("z[c]", "c < 7") + reads("z[e]", "e < 7")),
                 on_grid(writes("z[c]", "c < 7") + wait + reads("z[e]", "e < 7")), more);
  expect_unchanged(barriers, on_grid(writes("z[c]", "c < 7") + reads("z[c]", "c < 7")), more);
}

TEST(Barriers, members_of_equal_deals_are_the_same_ones) {
  expect_unchanged(barriers, on_grid(writes("u[g]", "c < 7")) + on_grid(reads("u[g]", "e < 7")),
                   more);
}

TEST(Barriers, cores_of_members_that_meet_wait_for_each_other) {
  const std::string write = writes("z[c]", "c < 7"), read = reads("z[e]", "e < 7");
  expect_unchanged(barriers, on_grid(write + "meet g;" + read), more);
  expect_rewrite(barriers, on_grid(write + read + "meet g;"),
                 on_grid(write + wait + read + "meet g;"), more);
}

TEST(Barriers, all_cores_wait_for_the_grid) {
  const std::string write = on_grid(writes("u[g]", "c < 7"));
  const std::string fold = "deal all (e < 7) collective { load a = u[e]; }";
  expect_rewrite(barriers, write + fold, write + "barrier grid;" + fold, more);
}

TEST(Barriers, loops_around_the_grid_are_followed) {
  const std::string write = on_grid(writes("u[g]", "c < 7"));
  const std::string fold = "deal all (e < 7) collective { load a = u[e]; }";
  expect_rewrite(barriers, "for L2.k r < 5 sequential {" + write + fold + "}",
                 "for L2.k r < 5 sequential { barrier grid;" + write + "barrier grid;" + fold + "}",
                 more);
}

// ---- warps

/// Rows e, each of which has elements of its own; neighbouring cores share a row.
const More rows{
    "digit g: BLK.i < 7 of i step 1 grid\n"
    "digit e: WRP.i < 3 of i step 1 cores\n"
    "digit h: THR.k < 4 of k step 1 cores\n",
    "buffer temporary m: i64[7] in SM of group per (g, e)\n"
    "buffer temporary z: i64[7] in SM of group per (g)\n"};

void expect_on_grid(const std::string& before, const std::string& after, int64_t lockstep,
                    const More& declared = rows) {
  const machine::TargetFacts facts{.teams = machine::Teams::nested, .lockstep = lockstep};
  More expected = declared;
  if (after.find("barrier warp;") != std::string::npos) {
    expected.digits += fmt::format("warp {}\n", lockstep);
  }
  expect_rewrite_of(barriers, matvec_with(on_grid(before), declared),
                    matvec_with(on_grid(after), expected), facts);
}

void expect_between(const std::string& first, const std::string& barrier, const std::string& second,
                    int64_t lockstep = 8) {
  expect_on_grid(first + second, first + barrier + second, lockstep);
}

const std::string wait_in_warp = "barrier warp;";

TEST(Barriers, cores_that_share_inside_of_a_warp_wait_for_their_warp) {
  const std::string write = writes("m[h]", "e < 3, h < 4");
  const std::string read = reads("m[a2]", "e < 3, a2 < 4", "collective");
  expect_between(write, wait_in_warp, read);
  expect_between(write, wait_in_warp, read, 4);
  expect_between(write, wait, read, 2);  // a row is more than a warp
  expect_between(write, wait, read, 6);  // some rows are in two warps
  expect_between(write, wait, read, 1);
}

TEST(Barriers, rows_that_other_warps_get_need_all_cores) {
  const std::string write = writes("m[h]", "e < 3, h < 4");
  // Half as many cores for each row: those of row 1 are not the ones that made it.
  expect_between(write, wait, reads("m[a2]", "e < 3, a2 < 2", "collective"));
  expect_between(write, wait, reads("m[a2]", "a2 < 4, e < 3", "collective"));
  expect_between(writes("z[h]", "e < 3, h < 4"), wait,
                 reads("z[a2]", "e < 3, a2 < 4", "collective"));
  // More shares than cores: they are dealt in turns.
  expect_between(writes("m[a2]", "e < 3, a2 < 4", "collective"), wait,
                 reads("m[b2]", "e < 3, b2 < 4", "collective"));
}

TEST(Barriers, a_barrier_of_warps_is_none_for_those_beyond) {
  const std::string write = deal("load a = v[0]; store m[h] = a; store z[h] = a;", "e < 3, h < 4");
  const std::string own = reads("m[a2]", "e < 3, a2 < 4", "collective");
  const std::string again = reads("m[b2]", "e < 3, b2 < 4", "collective");
  const std::string all = reads("z[b2]", "e < 3, b2 < 4", "collective");
  expect_between(write, wait_in_warp, own + again);  // one is enough for both
  expect_on_grid(write + own + all, write + wait_in_warp + own + wait + all, 8);
}

TEST(Barriers, neighbours_on_axes_are_in_no_known_warp) {
  const std::string write = writes("m[h]", "e < 3, h < 4");
  const std::string read = reads("m[a2]", "e < 3, a2 < 4", "collective");
  More on_axes = rows;
  on_axes.digits += "digit x: THR.i < 2 of i step 1 cores axis x\n";
  expect_on_grid(write + read, write + wait + read, 8, on_axes);
}

// ---- slots of tiles that are copied ahead

const More slots{"",
                 "buffer temporary u: i64[2, 7] in MM of all per ()\n"
                 "buffer temporary three: i64[3, 7] in MM of all per ()\n"};

std::string rounds(const std::string& body) { return "for - r < 5 sequential {" + body + "}"; }

TEST(Barriers, different_slots_of_a_round_do_not_meet) {
  const std::string first = writes("u[0, e]", "e < 7", "collective");
  const std::string next = writes("u[(r + 1) % 2, e]", "e < 7", "collective");
  const std::string use = reads("u[r % 2, c]", "c < 7");
  // One barrier in each round is for both: what was written before, and what was read.
  expect_rewrite(barriers, first + rounds(next + use), first + rounds(wait + next + use), slots);
}

TEST(Barriers, slots_that_two_loops_count_are_told_apart_in_a_round) {
  const auto repeated = [](const std::string& body) {
    return "for - q < 3 sequential {" + rounds(body) + "}";
  };
  const std::string first = writes("u[0, e]", "e < 7", "collective");
  const std::string next = writes("u[(q * 5 + (r + 1)) % 2, e]", "e < 7", "collective");
  const std::string use = reads("u[(q * 5 + r) % 2, c]", "c < 7");
  expect_rewrite(barriers, first + repeated(next + use), first + repeated(wait + next + use),
                 slots);
  // Nobody compares slots that are counted differently.
  const std::string same = reads("u[(q * 6 + r + 1) % 2, c]", "c < 7");
  expect_rewrite(barriers, repeated(next + same), repeated(wait + next + wait + same), slots);
}

TEST(Barriers, slots_that_come_round_again_do_meet) {
  const std::string use = reads("u[r % 2, c]", "c < 7");
  // Written in the round that reads it.
  const std::string now = writes("u[r % 2, e]", "e < 7", "collective");
  expect_rewrite(barriers, rounds(now + use), rounds(now + wait + use), slots);
  // (r + 2) % 3 was read in the round before, and is read two rounds later.
  const std::string later = writes("three[(r + 2) % 3, e]", "e < 7", "collective");
  const std::string one = reads("three[r % 3, c]", "c < 7");
  expect_rewrite(barriers, rounds(later + one), rounds(wait + later + one), slots);
}

TEST(Barriers, nobody_knows_slots_behind_their_loop_or_of_other_loops) {
  const std::string loop = "for - r < 5 sequential {" + writes("u[r % 2, c]", "c < 7") + "}";
  const std::string read = reads("u[0, e]", "e < 7");
  expect_rewrite(barriers, loop + read, loop + wait + read, slots);
  const auto rounds = [](const std::string& body) {
    return "for - r < 5 sequential { for - q2 < 3 sequential {" + body + "} }";
  };
  const std::string both = writes("u[r % 2, c]", "c < 7") + wait + reads("u[q2 % 2, e]", "e < 7");
  expect_rewrite(barriers, rounds(writes("u[r % 2, c]", "c < 7") + reads("u[q2 % 2, e]", "e < 7")),
                 rounds(wait + both), slots);
}

/// A loop inside of a share runs through all slots.
TEST(Barriers, slots_of_loops_inside_of_shares_are_all_of_them) {
  const std::string first =
      deal("for - r < 5 sequential { load a = v[0]; store u[r % 2, c] = a; }", "c < 7");
  const std::string second =
      deal("for - r < 5 sequential { load a = u[(r + 1) % 2, e]; }", "e < 7");
  expect_rewrite(barriers, first + second, first + wait + second, slots);
}

// ---- what cores hold

TEST(Barriers, what_steady_shares_hold_is_their_own) {
  const More held{"", "buffer temporary h: i64[7] in SM of group per () held\n"};
  const std::string body =
      writes("h[e]", "e < 7", "collective steady") + reads("h[c]", "c < 7", "collective steady");
  expect_unchanged(barriers, body, held);
  const std::string fewer = writes("h[e]", "e < 7", "collective steady"),
                    others = reads("h[e]", "e < 6", "collective steady");
  expect_rewrite(barriers, fewer + others, fewer + wait + others, held);
}

// ---- asynchronous copies

/// A Deal that issues the copy of an element.
std::string issues(const std::string& to, const std::string& shares,
                   const std::string& attributes = "") {
  return deal("async " + to + " = v[0];", shares, attributes);
}

TEST(Barriers, what_has_landed_is_separated_from_its_readers_behind_the_wait) {
  const std::string flight = issues("u[e]", "e < 7", "collective") + "commit; wait 0;";
  expect_separated(flight, reads("u[c]", "c < 7"));
  // A barrier between the issue and the wait does not help.
  const std::string begin =
      issues("u[e]", "e < 7", "collective") + "commit;" + writes("w[c]", "c < 7");
  const std::string middle = reads("w[e]", "e < 7") + "wait 0;", end = reads("u[c]", "c < 7");
  expect_rewrite(barriers, begin + middle + end, begin + wait + middle + wait + end, more);
}

TEST(Barriers, copies_of_ones_own_need_none) {
  expect_unchanged(barriers, issues("u[c]", "c < 7") + "commit; wait 0;" + reads("u[c]", "c < 7"),
                   more);
  expect_unchanged(barriers, deal("async u[c] = v[0]; commit; wait 0; load a = u[c];", "c < 7"),
                   more);
}

TEST(Barriers, what_others_read_is_not_overwritten_by_a_copy) {
  expect_separated(reads("u[c]", "c < 7"), issues("u[e]", "e < 7") + "commit; wait 0;");
}

TEST(Barriers, a_copy_that_runs_ahead_needs_one_barrier_in_each_round) {
  const std::string begin = issues("u[e]", "e < 7", "collective") +
                            "commit; for - r < 5 sequential {"
                            "wait 0;";
  const std::string end =
      issues("u[e]", "e < 7", "collective") + "commit;" + reads("u[c]", "c < 7") + "} wait 0;";
  expect_rewrite(barriers, begin + end, begin + wait + end, more);
}

TEST(Barriers, a_share_that_waits_writes_what_it_has_issued) {
  expect_separated(issues("u[c]", "c < 7") + "commit;" + deal("wait 0;", "c < 7"),
                   reads("u[e]", "e < 7"));
}

}  // namespace
}  // namespace mdh::passes::barriers_test
