#include "mdh/passes/concrete/borders.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::borders_test {
namespace {

TEST(Borders, loops_whose_parts_all_hold_points_have_constant_counts_and_their_kind) {
  expect_rewrite(borders, "loop p { loop u { loop l { barrier cores; } } }",
                 R"(
    for L1.i p < 7 sequential {
      for REG.k u < 5 unrolled { for SIMD.k l < 2 lanes { barrier cores; } }
    })",
                 {"digit u: REG.k < 5 of k step 2 unrolled\n"
                  "digit l: SIMD.k < 2 of k step 1 lanes\n",
                  {}});
}

TEST(Borders, the_last_part_of_a_padded_level_is_shorter) {
  expect_rewrite(borders, "loop a { loop b { barrier cores; } }",
                 R"(
    for L2.k a < 4 sequential { for L1.k b < min(3, 10 - a * 3) sequential { barrier cores; } })",
                 {"digit a: L2.k < 4 of k step 3 sequential\n"
                  "digit b: L1.k < 3 of k step 1 sequential\n",
                  {}});
  expect_rewrite(borders, "loop a { loop b { barrier cores; } }",
                 R"(
    for L3.k a < 2 sequential {
      for L2.k b < min(3, (10 - a * 6 + 1) / 2) sequential { barrier cores; }
    })",
                 {"digit a: L3.k < 2 of k step 6 sequential\n"
                  "digit b: L2.k < 3 of k step 2 sequential\n",
                  {}});
}

TEST(Borders, empty_parts_of_the_outermost_loop_are_not_counted) {
  expect_rewrite(borders, "loop a { barrier cores; }",
                 "for L1.k a < 3 sequential { barrier cores; }",
                 {"digit a: L1.k < 4 of k step 4 sequential\n", {}});
}

TEST(Borders, a_more_significant_digit_may_be_inside) {
  expect_rewrite(borders, "loop a { loop b { barrier cores; } }",
                 R"(
    for L1.k a < 4 sequential {
      for L2.k b < min(3, (10 - a + 3) / 4) sequential { barrier cores; }
    })",
                 {"digit a: L1.k < 4 of k step 1 sequential\n"
                  "digit b: L2.k < 3 of k step 4 sequential\n",
                  {}});
}

TEST(Borders, dealt_digits_count_at_both_levels_and_those_of_other_dimensions_do_not) {
  const More more{R"(digit g: BLK.i < 2 of i step 4 grid
digit a: THR.i < 2 of i step 2 cores
)",
                  {}};
  expect_rewrite(borders, R"(
    deal grid (g < 2) { deal cores (a < 2, d < 5) {
      if g * 4 + a * 2 < 7 { loop n { loop s { } } }
    } })",
                 R"(
    deal grid (g < 2) { deal cores (a < 2, d < 5) {
      if g * 4 + a * 2 < 7 {
        for L3.i n < min(2, 7 - (g * 4 + a * 2)) sequential { for L3.k s < 2 sequential { } }
      }
    } })",
                 more);
}

TEST(Borders, cores_that_nobody_dealt_to_are_a_sequential_loop) {
  expect_rewrite(borders, "loop c { deal grid (g < 7) { } }",
                 "for COR.i c < 7 sequential { deal grid (g < 7) { } }",
                 {"digit g: BLK.i < 7 of i step 1 grid\n", {}});
}

TEST(Borders, counted_loops_over_digits_and_over_anything_else) {
  // A digit counts in loops that are concrete already, any other counter does not.
  expect_rewrite(borders, "for L2.i o < 4 sequential { for - m < 3 sequential { loop n { } } }",
                 R"(for L2.i o < 4 sequential { for - m < 3 sequential {
                      for L3.i n < min(2, 7 - o * 2) sequential { } } })");
}

}  // namespace
}  // namespace mdh::passes::borders_test
