#include "bench/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(Statistics, quantile_lies_between_neighbours) {
  EXPECT_DOUBLE_EQ(quantile({5, 1, 3, 2, 4}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 0.5), median({4, 1, 2, 3}));
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 2, 3}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.75), 7);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(Statistics, spearman_compares_orders_and_not_values) {
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {1, 10, 100, 1e9}).value(), 1);
  EXPECT_DOUBLE_EQ(spearman({3, 1, 2}, {-3, -1, -2}).value(), -1);
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4, 5}, {50, 40, 30, 20, 10}).value(), -1);
  EXPECT_DOUBLE_EQ(spearman({7, 1}, {2, 1}).value(), 1);
  // 1 - 6 * sum(d^2) / (n (n^2 - 1)): d^2 are 1, 1, 4, 1, 1.
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4, 5}, {2, 1, 5, 3, 4}).value(), 0.6);
  // Intelligence and hours of television, the example of many textbooks: -29 / 165.
  EXPECT_NEAR(spearman({106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                       {7, 27, 2, 50, 28, 29, 20, 12, 6, 17})
                  .value(),
              -29.0 / 165, 1e-12);
}

TEST(Statistics, spearman_gives_equal_values_the_mean_of_their_ranks) {
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
  EXPECT_NEAR(spearman({1, 2, 2, 3}, {1, 2, 3, 4}).value(), std::sqrt(0.9), 1e-12);
  EXPECT_NEAR(spearman({1, 2, 3, 4}, {9, 5, 5, 1}).value(), -std::sqrt(0.9), 1e-12);
  EXPECT_DOUBLE_EQ(spearman({1, 1, 2, 2}, {3, 3, 8, 8}).value(), 1);
  EXPECT_DOUBLE_EQ(spearman({1, 1, 2, 2}, {1, 2, 1, 2}).value(), 0);
}

TEST(Statistics, spearman_of_what_has_no_order_is_nothing) {
  EXPECT_EQ(spearman({}, {}), std::nullopt);
  EXPECT_EQ(spearman({1}, {2}), std::nullopt);
  EXPECT_EQ(spearman({4, 4, 4}, {1, 2, 3}), std::nullopt);
  EXPECT_EQ(spearman({1, 2, 3}, {4, 4, 4}), std::nullopt);
}

}  // namespace
}  // namespace mdh::bench::statistics_test
