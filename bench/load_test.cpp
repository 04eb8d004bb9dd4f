#include "bench/load.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace mdh::bench::load_test {
namespace {

TEST(Load, busy_is_everything_but_idle_and_waiting) {
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(busy_seconds("cpu  1 2 4 1000 500 8 16 32 0 0\ncpu0 9 9 9\n"), 63 * tick);
  EXPECT_EQ(busy_seconds("cpu0 1 2 4 1000 500 8 16 32"), -1);
  EXPECT_EQ(busy_seconds("cpu 1 2"), -1);
  EXPECT_EQ(busy_seconds(""), -1);
}

TEST(Load, what_the_candidates_use_is_not_foreign) {
  EXPECT_EQ(foreign_share({.wall = 1, .busy = 2, .own = 2, .cores = 2}), 0);
  EXPECT_FALSE(is_disturbed({.wall = 1, .busy = 2, .own = 2, .cores = 2}));
}

TEST(Load, a_tick_per_core_is_forgiven) {
  EXPECT_EQ(foreign_share({.wall = 0.1, .busy = 0.12, .own = 0.1, .cores = 2}), 0);
  EXPECT_NEAR(foreign_share({.wall = 1, .busy = 2, .own = 1, .cores = 2}), 0.49, 1e-9);
}

TEST(Load, another_program_on_one_core_disturbs) {
  EXPECT_TRUE(is_disturbed({.wall = 1, .busy = 2, .own = 1, .cores = 2}));
  EXPECT_TRUE(is_disturbed({.wall = 1, .busy = 2, .own = 1, .cores = 16}));
  EXPECT_FALSE(is_disturbed({.wall = 1, .busy = 1.05, .own = 1, .cores = 2}));
}

TEST(Load, a_pool_that_spins_while_others_are_measured_disturbs) {
  EXPECT_TRUE(is_disturbed({.wall = 1, .busy = 2, .own = 2, .idle = 0.1, .cores = 2}));
  EXPECT_FALSE(is_disturbed({.wall = 1, .busy = 2, .own = 2, .idle = 0.01, .cores = 2}));
}

TEST(Load, unknown_load_is_not_foreign) {
  EXPECT_EQ(foreign_share({.wall = 1, .busy = -1, .own = 1, .cores = 2}), 0);
}

TEST(Load, own_process_uses_time) {
  const LoadMeter meter({});
  const double before = cpu_seconds(getpid());
  volatile double sum = 0;
  while (cpu_seconds(getpid()) < before + 0.02) sum = sum + 1;
  EXPECT_GE(meter.since(0).own, 0.02);
  EXPECT_GE(meter.since(0).wall, 0.02);
  EXPECT_EQ(cpu_seconds(-1), 0);
}

}  // namespace
}  // namespace mdh::bench::load_test
