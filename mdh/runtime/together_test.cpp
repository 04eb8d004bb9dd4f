#include "mdh/runtime/together.h"

#include <gtest/gtest.h>

namespace mdh::runtime::together_test {
namespace {

TEST(Together, are_calls_that_are_short_for_the_device_and_the_host) {
  EXPECT_TRUE(is_short({.device_us = 99, .host_us = 150}));
  EXPECT_FALSE(is_short({.device_us = 101, .host_us = 150}));
  EXPECT_FALSE(is_short({.device_us = 10, .host_us = 1001}));
}

TEST(Together, are_some_hundred_microseconds_at_most_a_hundred_calls_and_two_at_least) {
  EXPECT_EQ(calls_together({.device_us = 10, .host_us = 20}), 30);
  EXPECT_EQ(calls_together({.device_us = 0, .host_us = 20}), 100);
  EXPECT_EQ(calls_together({.device_us = 99, .host_us = 20}), 3);
  EXPECT_EQ(calls_together({.device_us = 1, .host_us = 999}), 10) << "the host has its time, too";
  EXPECT_EQ(calls_together({.device_us = 1, .host_us = 1e6}), 2);
}

}  // namespace
}  // namespace mdh::runtime::together_test
