#include "mdh/passes/concrete/simplify.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::simplify_test {
namespace {

TEST(Simplify, constants_are_folded_in_every_expression) {
  expect_rewrite(simplify, R"(
    let a = 2 * 3 + 0;
    for L1.i p < min(4, (10 + 3) / 4) sequential {
      if p + 0 < a * 1 { load m = M[p * 1, 2 - 2]; apply e = f(m, m; 1 * p, 0 + a); }
    }
    deal cores () { load g = M[0, 0]; store w[a - 2 + 1] = g; })",
                 R"(
    let a = 6;
    for L1.i p < 3 sequential {
      if p < a { load m = M[p, 0]; apply e = f(m, m; p, a); }
    }
    deal cores () { load g = M[0, 0]; store w[a - 1] = g; })");
}

TEST(Simplify, loops_of_one_iteration_become_their_body) {
  expect_rewrite(simplify, R"(
    for - b < 2 - 1 sequential {
      let a = b * 4 + 1;
      for L1.i p < b + 1 sequential { load m = M[b + p + a, p]; }
      for L1.k q < 2 sequential { if q == b { load e = M[q, b]; } }
    })",
                 R"(
    let a = 1;
    load m = M[a, 0];
    for L1.k q < 2 sequential { if q == 0 { load e = M[q, 0]; } })");
}

TEST(Simplify, loops_without_iterations_vanish) {
  expect_rewrite(simplify, "let a = 1; for L1.i p < 3 - 3 sequential { barrier cores; } let b = 2;",
                 "let a = 1; let b = 2;");
}

TEST(Simplify, what_is_never_done_vanishes) {
  expect_rewrite(simplify, "let a = 1; if 0 > 0 && a < 2 { let b = a; } let e = 2;",
                 "let a = 1; let e = 2;");
  expect_unchanged(simplify, "let a = 1; if 1 > 0 { let b = 1; } if a > 1 { let e = 1; }");
  expect_unchanged(simplify, "if 0 > 0 { let a = 1; } else { let b = 1; }");
}

TEST(Simplify, barriers_at_the_end_of_the_kernel_vanish) {
  expect_rewrite(simplify, "barrier cores; deal cores () { } barrier cores; barrier grid;",
                 "barrier cores; deal cores () { }");
  expect_rewrite(simplify, "for L1.k q < 1 sequential { deal cores () { } barrier cores; }",
                 "deal cores () { }");
}

TEST(Simplify, barriers_at_the_end_of_a_loop_or_a_share_stay) {
  expect_unchanged(simplify, "for L1.k q < 2 sequential { deal cores () { } barrier cores; }");
  expect_unchanged(simplify, "deal grid () { deal cores () { } barrier cores; }");
}

TEST(Simplify, shares_of_a_team_are_not_counted_away) {
  expect_unchanged(simplify, "deal cores (e < 1) { load m = M[e, e]; }");
}

TEST(Simplify, loops_that_say_which_instance_is_meant_stay) {
  const More own{{}, "buffer temporary v_own: i64[10] in L1 of core per (c)\n"};
  expect_unchanged(simplify, "for COR.i c < 1 sequential { load m = v_own[0]; }", own);
  expect_rewrite(simplify, "for COR.i c < 1 sequential { load m = v[c]; }", "load m = v[0];", own);
}

TEST(Simplify, what_is_simple_is_left_alone) {
  const loop::Program p = matvec_with(R"(
    deal cores (c < 7) {
      for L1.k q < min(3, 10 - c * 3) lanes { let k = c * 3 + q; load m = M[c, k]; }
    })");
  const loop::Program again = simplify(p);
  EXPECT_EQ(again, p);
  EXPECT_EQ(&again.body[0].node(), &p.body[0].node());
}

}  // namespace
}  // namespace mdh::passes::simplify_test
