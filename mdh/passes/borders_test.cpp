#include "mdh/passes/borders.h"

#include <gtest/gtest.h>

#include "mdh/passes/test_programs.h"

namespace mdh::passes {
namespace {

TEST(Borders, loops_whose_parts_all_hold_points_have_constant_counts) {
  expect_rewrite(borders, R"(
    sequential L2.i o < 7 of i step 1 {
      unrolled REG.k r < 5 of k step 2 { lanes SIMD.k q < 2 of k step 1 { barrier; } }
    })",
                 R"(
    for L2.i o < 7 sequential {
      for REG.k r < 5 unrolled { for SIMD.k q < 2 lanes { barrier; } }
    })");
}

TEST(Borders, the_last_part_of_a_padded_level_is_shorter) {
  expect_rewrite(borders, R"(
    sequential L2.k r < 4 of k step 3 { sequential L1.k q < 3 of k step 1 { barrier; } })",
                 R"(
    for L2.k r < 4 sequential { for L1.k q < min(3, 10 - r * 3) sequential { barrier; } })");
  expect_rewrite(borders, R"(
    sequential L3.k r < 2 of k step 6 { sequential L2.k q < 3 of k step 2 { barrier; } })",
                 R"(
    for L3.k r < 2 sequential {
      for L2.k q < min(3, (10 - r * 6 + 1) / 2) sequential { barrier; }
    })");
}

TEST(Borders, empty_parts_of_the_outermost_loop_are_not_counted) {
  expect_rewrite(borders, "sequential L1.k q < 4 of k step 4 { barrier; }",
                 "for L1.k q < 3 sequential { barrier; }");
}

TEST(Borders, a_more_significant_digit_may_be_inside) {
  expect_rewrite(borders, R"(
    sequential L1.k q < 4 of k step 1 { sequential L2.k r < 3 of k step 4 { barrier; } })",
                 R"(
    for L1.k q < 4 sequential {
      for L2.k r < min(3, (10 - q + 3) / 4) sequential { barrier; }
    })");
}

TEST(Borders, dealt_digits_count_and_those_of_other_dimensions_do_not) {
  expect_rewrite(borders, R"(
    sequential L3.i s < 2 of i step 4 {
      deal (COR.i c < 2 of i step 2, COR.k d < 5 of k step 2) {
        if s * 4 + c * 2 < 7 {
          sequential L1.i p < 2 of i step 1 { sequential L1.k q < 2 of k step 1 { } }
        }
      }
    })",
                 R"(
    for L3.i s < 2 sequential {
      deal (COR.i c < 2 of i step 2, COR.k d < 5 of k step 2) {
        if s * 4 + c * 2 < 7 {
          for L1.i p < min(2, 7 - (s * 4 + c * 2)) sequential { for L1.k q < 2 sequential { } }
        }
      }
    })");
}

}  // namespace
}  // namespace mdh::passes
