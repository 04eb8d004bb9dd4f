#include "mdh/tuning/efforts.h"

#include <gtest/gtest.h>

namespace mdh::tuning::efforts_test {
namespace {

TEST(Efforts, short_kernels_run_often_and_long_ones_once) {
  EXPECT_EQ(screening(8).look->least, 50);
  EXPECT_EQ(screening(1000).look->least, 5);
  EXPECT_EQ(screening(15'000).look->least, 1);
  EXPECT_EQ(comparison(15'000).limits.least, 4);
  EXPECT_EQ(comparison(500'000).limits.least, 3) << "a median of fewer is none";
}

TEST(Efforts, what_is_compared_is_measured_even_if_it_is_a_little_slower) {
  EXPECT_EQ(screening(1000).look_us, 1000);
  EXPECT_GT(comparison(1000).look_us, 1000);
  EXPECT_EQ(comparison(1000).give_up_us, screening(1000).give_up_us);
}

TEST(Efforts, without_a_best_everything_is_measured_for_a_limited_time) {
  for (const Effort& effort : {screening(0), comparison(0)}) {
    EXPECT_FALSE(effort.look);
    EXPECT_EQ(effort.give_up_us, 0);
    EXPECT_LE(effort.limits.least, 3);
    EXPECT_LT(effort.limits.seconds, 0.1);
  }
}

}  // namespace
}  // namespace mdh::tuning::efforts_test
