#include "mdh/passes/structured/roll.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::roll_test {
namespace {

const More more{{}, "buffer temporary u: i64[4] in L1 of core per ()\n"};

TEST(Roll, the_first_iteration_copies_all_and_others_what_is_new) {
  expect_rewrite(roll, R"(
    loop p {
      alloc u;
      copy (a < 4) u[a] = v[p * 3 + a] within (p * 3 + a < 10) team (c) roll p along a by 3;
      loop q { accumulate (w[i]) first (q) from (M[i, k], u[0]); }
    })",
                 R"(
    alloc u;
    loop p {
      copy (a < 4) u[a] = v[p * 3 + a] within (p == 0, p * 3 + a < 10) team (c);
      copy (a < 1) u[a] = u[a + 3] within (p > 0, p * 3 + a < 10) team (c);
      copy (a < 3) u[a + 1] = v[p * 3 + (a + 1)] within (p > 0, p * 3 + (a + 1) < 10) team (c);
      loop q { accumulate (w[i]) first (q) from (M[i, k], u[0]); }
    })",
                 more);
}

TEST(Roll, the_axis_along_which_it_moves_comes_last) {
  const More tile{{}, "buffer temporary u: i64[3, 4] in L1 of core per ()\n"};
  const loop::Program p = roll(matvec_with(R"(
    loop p {
      alloc u;
      copy (a < 3, b < 4) u[a, b] = M[p + a, b] within () team () roll p along a by 1;
    })",
                                           tile));
  const auto* loop = p.body.at(1).as<loop::Loop>();
  const auto* moved = loop->body.at(1).as<loop::Copy>();
  EXPECT_EQ(moved->axes,
            (std::vector<loop::Counter>{{loop::named("b"), 4}, {loop::named("a"), 2}}));
}

TEST(Roll, other_tiles_and_other_loops_stay_as_they_are) {
  expect_unchanged(roll, R"(
    loop p { alloc u; copy (a < 4) u[a] = v[p + a] within () team (); })",
                   more);
  // It rolls along a loop that is not right around it: the promise is not made use of.
  expect_unchanged(roll, R"(
    loop p { loop q { alloc u; copy (a < 4) u[a] = v[p + a] within () team () roll p along a by 1; } })",
                   more);
}

}  // namespace
}  // namespace mdh::passes::roll_test
