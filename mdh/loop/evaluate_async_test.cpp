// Copies in flight: when they land, for whom, and what is noticed before.
#include <gtest/gtest.h>

#include "mdh/loop/test_runs.h"

namespace mdh::loop::evaluate_async_test {
namespace {

/// Share a of three issues the copy of the first element of its row.
const std::string issue = "deal cores (a < 3) { async t[0, a] = x[a, 0]; }";
/// It reads what it has issued itself.
const std::string use = "deal cores (a < 3) { load v = t[0, a]; store y[a] = v; }";
/// It reads what its neighbour has issued.
const std::string use_other = "deal cores (a < 3) { load v = t[0, 2 - a]; store y[a] = v; }";
const std::string in_flight = "element 0 of 't' is read before it is written";

TEST(LoopAsync, a_copy_lands_at_the_wait) {
  EXPECT_EQ(result(issue + "commit; wait 0;" + use), (std::vector<int64_t>{1, 5, 2}));
  EXPECT_EQ(complaint("deal cores () { async t[0, 0] = x[0, 0]; commit; load v = t[0, 0]; }"),
            in_flight);
  EXPECT_EQ(complaint("deal cores () { async t[0, 0] = x[0, 0]; commit; wait 0;"
                      "load v = t[0, 0]; }"),
            fine);
}

TEST(LoopAsync, what_was_there_is_undefined_from_the_issue_on) {
  EXPECT_EQ(complaint("deal cores () { load a = x[0, 0]; store t[0, 0] = a;"
                      "async t[0, 0] = x[1, 0]; load b = t[0, 0]; }"),
            in_flight);
}

TEST(LoopAsync, what_is_not_committed_does_not_land) {
  EXPECT_EQ(complaint("deal cores () { async t[0, 0] = x[0, 0]; wait 0; load v = t[0, 0]; }"),
            in_flight);
}

TEST(LoopAsync, a_wait_keeps_the_last_groups_in_flight) {
  const std::string two =
      "deal cores () { async t[0, 0] = x[0, 0]; commit;"
      "async t[0, 1] = x[1, 0]; commit; wait ";
  const std::string end = "wait 0; }";
  EXPECT_EQ(complaint(two + "1; load v = t[0, 0];" + end), fine);
  EXPECT_EQ(complaint(two + "1; load v = t[0, 1];" + end),
            "element 1 of 't' is read before it is written");
  EXPECT_EQ(complaint(two + "2; load v = t[0, 0];" + end), in_flight);
  EXPECT_EQ(complaint(two + "0; load v = t[0, 1];" + end), fine);
  // A group counts even if it is empty.
  EXPECT_EQ(complaint(two + "1; commit; wait 1; load v = t[0, 1];" + end), fine);
}

TEST(LoopAsync, a_share_waits_for_its_own_copies_only) {
  EXPECT_EQ(complaint("deal cores (a < 2) { if a == 0 { async t[0, 0] = x[0, 0]; commit; } }"
                      "deal cores (b < 1) { wait 0; load v = t[0, 0]; }"),
            in_flight);
  EXPECT_EQ(complaint("deal cores (a < 3) { async t[0, a] = x[a, 0]; commit; }"
                      "deal cores (a < 3) { wait 0; load v = t[0, a]; }"),
            fine);
}

TEST(LoopAsync, groups_that_all_cores_commit_count_for_each_of_them) {
  const std::string later = "deal cores (a < 3) { wait 1; load v = t[0, a]; }";
  EXPECT_EQ(complaint(issue + "commit; commit;" + later), fine);
  EXPECT_EQ(complaint("deal cores (a < 1) { async t[0, a] = x[a, 0]; } commit;"
                      "deal cores (a < 1) { wait 1; load v = t[0, a]; }"),
            in_flight);
}

TEST(LoopAsync, other_cores_need_a_barrier_behind_the_wait) {
  EXPECT_EQ(complaint(issue + "commit; wait 0; barrier cores;" + use_other), fine);
  const std::string race = "race: element ";
  for (const std::string between : {"commit; wait 0;", "commit; barrier cores; wait 0;"}) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const std::string text =
          internal_error_of([&] { result(issue + between + use_other, {}, seed); });
      EXPECT_EQ(text.substr(0, race.size()), race) << text;
    }
  }
}

TEST(LoopAsync, what_others_still_read_is_not_overwritten) {
  const std::string begin = issue +
                            "commit; wait 0; barrier cores;"
                            "deal cores (b < 3) { if b == 0 { load w = t[0, 1]; } }";
  EXPECT_EQ(complaint(begin + issue + "commit; wait 0;"),
            "race: element 1 of 't' is written while another part reads it");
  EXPECT_EQ(complaint(begin + "barrier cores;" + issue + "commit; wait 0;"), fine);
}

TEST(LoopAsync, the_source_is_read_at_the_landing) {
  EXPECT_EQ(result("deal cores () { load a = x[0, 0]; store t[0, 0] = a;"
                   "async t[1, 0] = t[0, 0]; commit; load b = x[1, 3]; store t[0, 0] = b; wait 0;"
                   "load c = t[1, 0]; store y[0] = c; store y[1] = c; store y[2] = c; }"),
            (std::vector<int64_t>{8, 8, 8}));
  EXPECT_EQ(complaint("deal cores () { async t[1, 0] = t[0, 0]; }"), in_flight);
}

TEST(LoopAsync, copies_land_before_their_buffer_begins_anew_and_before_the_end) {
  EXPECT_EQ(complaint("alloc t;" + issue + "commit; alloc t; wait 0;"),
            "'t' begins anew before copies into it landed");
  EXPECT_EQ(complaint(issue + "commit;"), "3 copies never land, the first one into 't'");
  EXPECT_EQ(complaint(issue + "wait 0;"), "3 copies never land, the first one into 't'");
}

TEST(LoopAsync, members_of_the_grid_wait_for_themselves) {
  const More more{"digit g: BLK.i < 3 of i step 1 grid\n",
                  "buffer temporary u: i64[3] in SM of group per (g)\n"};
  const std::string body =
      "deal grid (g < 3) { deal cores (a < 3) { async u[a] = x[g, a]; }"
      "commit; wait 0; ";
  const std::string read = "deal cores (b < 3) { if b == 0 { load v = u[1]; store y[g] = v; } } }";
  EXPECT_EQ(result(body + "barrier cores;" + read, more), (std::vector<int64_t>{2, 6, 4}));
  EXPECT_EQ(complaint(body + read, more),
            "race: element 1 of 'u' is read while another part writes it");
}

TEST(LoopAsync, structured_copies_land_at_once) {
  EXPECT_EQ(result(R"(loop p {
      copy async (n < 4) t[n, 0] = x[p, n] within () team (); commit; wait 0;
      loop q { accumulate (y[i]) first (q) from (t[q, 0]); }
    })"),
            in_order);
}

}  // namespace
}  // namespace mdh::loop::evaluate_async_test
