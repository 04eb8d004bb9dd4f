#include "bench/statistics.h"

#include <gtest/gtest.h>

namespace mdh::bench::statistics_test {
namespace {

TEST(Statistics, median_is_the_middle_or_the_mean_of_the_two_in_the_middle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({}), 0);
}

TEST(Statistics, ratio_is_taken_round_by_round) {
  // The machine is three times slower in the second round; the medians alone would say 2 / 3.
  EXPECT_EQ(median_ratio({2, 6, 2}, {1, 3, 1}), 2);
  EXPECT_EQ(median_ratio({2, 6, 9}, {1, 3, 1}), 2);
  EXPECT_NE(median({2, 6, 9}) / median({1, 3, 1}), 2);
}

TEST(Statistics, geometric_mean_of_a_gain_and_its_inverse_is_one) {
  EXPECT_DOUBLE_EQ(geometric_mean({2, 0.5}), 1);
  EXPECT_DOUBLE_EQ(geometric_mean({1, 4}), 2);
  EXPECT_EQ(geometric_mean({}), 0);
}

}  // namespace
}  // namespace mdh::bench::statistics_test
