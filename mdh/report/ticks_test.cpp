#include "mdh/report/ticks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdh/report/axis.h"

namespace mdh::report::ticks_test {
namespace {

void expect_ticks(const std::vector<double>& ticks, const std::vector<double>& expected) {
  ASSERT_EQ(ticks.size(), expected.size());
  for (size_t n = 0; n < ticks.size(); ++n) {
    EXPECT_NEAR(ticks[n], expected[n], 1e-9 * std::abs(expected[n]));
  }
}

TEST(Ticks, many_decades_have_powers_of_ten) {
  expect_ticks(log_ticks(0.5, 2e5, 8), {1, 10, 100, 1000, 1e4, 1e5});
  expect_ticks(log_ticks(1, 1e12, 8), {1, 100, 1e4, 1e6, 1e8, 1e10, 1e12});
}

TEST(Ticks, few_decades_have_multiples_of_them) {
  expect_ticks(log_ticks(8, 120, 8), {10, 20, 50, 100});
  expect_ticks(log_ticks(6, 24, 8), {6, 7, 8, 9, 10, 20});
  expect_ticks(log_ticks(5, 6000, 7), {10, 30, 100, 300, 1000, 3000});
}

TEST(Ticks, a_narrow_range_has_linear_ones) {
  expect_ticks(log_ticks(11.2, 13.9, 6), {11.5, 12, 12.5, 13, 13.5});
  expect_ticks(linear_ticks(0, 100, 5), {0, 50, 100});
  expect_ticks(linear_ticks(0, 100, 6), {0, 20, 40, 60, 80, 100});
}

TEST(Ticks, are_never_too_many_and_always_inside) {
  for (double low = 1e-3; low < 1e6; low *= 3.7) {
    for (double factor = 1.01; factor < 1e9; factor *= 2.3) {
      for (const size_t most : {3U, 8U}) {
        const std::vector<double> ticks = log_ticks(low, low * factor, most);
        EXPECT_LE(ticks.size(), most);
        EXPECT_GE(ticks.size(), 1U) << low << " * " << factor;
        for (const double tick : ticks) {
          EXPECT_GE(tick, low * (1 - 1e-6));
          EXPECT_LE(tick, low * factor * (1 + 1e-6));
        }
      }
    }
  }
}

TEST(Ticks, of_no_range_there_are_none) {
  EXPECT_TRUE(log_ticks(0, 10, 5).empty());
  EXPECT_TRUE(log_ticks(5, 5, 5).empty());
  EXPECT_TRUE(linear_ticks(5, 5, 5).empty());
}

TEST(Ticks, of_counts_are_whole_numbers) {
  expect_ticks(whole_ticks(1, 3, 12), {1, 2, 3});
  expect_ticks(whole_ticks(1, 53, 6), {10, 20, 30, 40, 50});
}

TEST(Axis, values_lie_between_its_ends) {
  const Axis log{Scale::logarithmic, 1, 100, 200, 0};
  EXPECT_DOUBLE_EQ(log.at(1), 200);
  EXPECT_DOUBLE_EQ(log.at(10), 100);
  EXPECT_DOUBLE_EQ(log.at(100), 0);
  const Axis linear{Scale::linear, 0, 4, 10, 50};
  EXPECT_DOUBLE_EQ(linear.at(1), 20);
}

}  // namespace
}  // namespace mdh::report::ticks_test
