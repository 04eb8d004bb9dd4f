#include "mdh/runtime/opencl/stopwatch.h"

#include <gtest/gtest.h>

#include <vector>

namespace mdh::runtime::opencl {
namespace {

/// Runs of so many microseconds of the device each.
struct Runs {
  double each_us = 0;
  std::vector<int> calls = {};

  std::function<Lap()> watch() {
    return stopwatch([this](int n) {
      calls.push_back(n);
      return RunTime{.device_us = each_us * n, .wall_us = each_us * n + 20, .launches = n};
    });
  }
};

TEST(Stopwatch, measures_short_calls_together) {
  Runs runs{.each_us = 10};
  const std::function<Lap()> watch = runs.watch();
  for (int n = 0; n < 4; ++n) {
    const Lap lap = watch();
    EXPECT_DOUBLE_EQ(lap.device_us, 10) << n;
    EXPECT_DOUBLE_EQ(lap.host_us, 30) << "of a call alone";
  }
  EXPECT_EQ(runs.calls, (std::vector<int>{1, 1, 30, 30}));
}

TEST(Stopwatch, measures_long_calls_alone) {
  Runs runs{.each_us = 150};
  const std::function<Lap()> watch = runs.watch();
  for (int n = 0; n < 4; ++n) EXPECT_DOUBLE_EQ(watch().device_us, 150) << n;
  EXPECT_EQ(runs.calls, (std::vector<int>{1, 1, 1, 1}));
}

TEST(Stopwatch, takes_the_clock_of_the_host_where_that_of_the_device_stands_still) {
  EXPECT_DOUBLE_EQ(device_time({.device_us = 0, .wall_us = 7}), 7);
  EXPECT_DOUBLE_EQ(device_time({.device_us = 3, .wall_us = 7}), 3);
}

}  // namespace
}  // namespace mdh::runtime::opencl
