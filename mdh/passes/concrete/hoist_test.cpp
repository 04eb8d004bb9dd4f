#include "mdh/passes/concrete/hoist.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::hoist_test {
namespace {

TEST(Hoist, an_index_leaves_the_loops_it_does_not_mention) {
  expect_rewrite(hoist, R"(
    deal cores (c < 7) {
      for L2.k r < 5 sequential {
        for L1.k s < 2 lanes {
          let i = c;
          let k = r * 2 + s;
          let a = r + 1;
          load m = M[i, k];
        }
      }
    })",
                 R"(
    deal cores (c < 7) {
      let i = c;
      for L2.k r < 5 sequential {
        let a = r + 1;
        for L1.k s < 2 lanes {
          let k = r * 2 + s;
          load m = M[i, k];
        }
      }
    })");
}

TEST(Hoist, an_index_stays_with_the_index_it_is_made_of) {
  expect_rewrite(hoist, R"(
    for L1.k q < 5 sequential { let a = q + 1; let b = a * 2; let e = 3; let g = e + 1; })",
                 R"(
    let e = 3;
    let g = e + 1;
    for L1.k q < 5 sequential { let a = q + 1; let b = a * 2; })");
}

TEST(Hoist, an_index_does_not_leave_a_branch_or_a_share) {
  expect_unchanged(hoist, R"(
    for L1.i p < 2 sequential {
      deal cores (c < 7) { let a = 1; }
      if p == 0 { let b = 1; } else { let e = 1; }
    })");
}

TEST(Hoist, it_leaves_the_loops_inside_of_a_branch) {
  expect_rewrite(hoist, "if 0 == 0 { for L1.i p < 2 sequential { let b = 1; } }",
                 "if 0 == 0 { let b = 1; for L1.i p < 2 sequential { } }");
}

TEST(Hoist, other_statements_stay_in_their_order) {
  expect_rewrite(hoist, R"(
    for L1.i p < 2 sequential {
      alloc t; load m = M[p, 0]; let a = 1; load e = M[p, a]; barrier cores;
    })",
                 R"(
    let a = 1;
    for L1.i p < 2 sequential { alloc t; load m = M[p, 0]; load e = M[p, a]; barrier cores; })");
}

TEST(Hoist, neighbours_that_use_the_same_name_keep_it_inside) {
  expect_unchanged(hoist, R"(
    for L1.i p < 2 sequential { let i = 0; load m = M[i, p]; }
    for L1.i p < 2 sequential { let i = 1; load m = M[i, p]; })");
  expect_unchanged(hoist, R"(
    for L1.i p < 2 sequential {
      if p == 0 { let i = 3; load m = M[i, p]; }
      let i = 1;
      load m = M[i, p];
    })");
}

}  // namespace
}  // namespace mdh::passes::hoist_test
