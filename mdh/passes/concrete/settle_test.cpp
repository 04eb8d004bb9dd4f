#include "mdh/passes/concrete/settle.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::settle_test {
namespace {

TEST(Settle, a_trip_count_answers_inside_of_a_share) {
  expect_rewrite(settle, R"(
    deal cores (c < 7) {
      for L3.i n < 2 sequential {
        for L2.i o < min(5, (7 - n + 1) / 2) sequential {
          if n + o * 2 < 7 { load m = M[n + o * 2, 0]; store w[c] = m; }
        }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L3.i n < 2 sequential {
        for L2.i o < min(5, (7 - n + 1) / 2) sequential {
          load m = M[n + o * 2, 0];
          store w[c] = m;
        }
      }
    })");
}

TEST(Settle, a_loop_that_counts_from_one_is_never_in_its_first_round) {
  expect_rewrite(settle, R"(
    deal cores (c < 7) {
      for L1.k s < 10 sequential from 1 {
        if s > 0 { load m = M[c, s]; store w[c] = m; }
      }
    })",
                 R"(
    deal cores (c < 7) {
      for L1.k s < 10 sequential from 1 {
        load m = M[c, s];
        store w[c] = m;
      }
    })");
}

TEST(Settle, loops_around_shares_may_run_over_empty_parts) {
  expect_unchanged(settle, R"(
    for L3.i n < 2 sequential {
      for L2.i o < min(5, (7 - n + 1) / 2) sequential {
        deal cores (c < 7) {
          if n + o * 2 < 7 { load m = M[n + o * 2, 0]; store w[c] = m; }
        }
      }
    })");
}

TEST(Settle, a_bound_that_is_never_reached_is_none) {
  expect_rewrite(settle, R"(
    deal cores (c < 7) {
      for L2.k r < min(2, (9 - c + 1) / 2) sequential { load m = M[c, r]; store w[c] = m; }
      for L3.k s < min(2, 8 - c) sequential { load x = M[c, s]; store w[c] = x; }
      for L1.k q < min(2, 7 - c) sequential { load y = M[c, q]; store w[c] = y; }
    })",
                 R"(
    deal cores (c < 7) {
      for L2.k r < 2 sequential { load m = M[c, r]; store w[c] = m; }
      for L3.k s < 2 sequential { load x = M[c, s]; store w[c] = x; }
      for L1.k q < min(2, 7 - c) sequential { load y = M[c, q]; store w[c] = y; }
    })");
}

TEST(Settle, a_maximum_is_the_side_that_is_known_to_be_greater) {
  expect_rewrite(settle, R"(
    deal cores (c < 7) {
      let z = max(0, c - 6);
      let y = max(0, c - 5);
      if c >= z { load m = M[c - z, 0]; store w[c] = m; }
    })",
                 R"(
    deal cores (c < 7) {
      let z = 0;
      let y = max(0, c - 5);
      load m = M[c - z, 0];
      store w[c] = m;
    })");
}

}  // namespace
}  // namespace mdh::passes::settle_test
