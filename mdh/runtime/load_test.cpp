#include "mdh/runtime/load.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace mdh::runtime::load_test {
namespace {

using std::chrono::milliseconds;

CoreUse at(int ms, std::map<std::string, double> waited, double stolen = 0, int cores = 2) {
  return {std::chrono::steady_clock::time_point() + milliseconds(ms), std::move(waited), stolen,
          cores};
}

TEST(Load, is_the_share_that_the_thread_that_waited_most_waited) {
  const CoreUse before = at(0, {{"1", 5}, {"2", 7}});
  EXPECT_NEAR(load_between(before, at(100, {{"1", 5.01}, {"2", 7.04}})), 0.4, 1e-9);
  EXPECT_DOUBLE_EQ(load_between(before, at(100, {{"1", 5}, {"2", 7}})), 0);
  EXPECT_NEAR(load_between(before, at(100, {{"1", 5}, {"3", 0.02}})), 0.2, 1e-9) << "a new thread";
  EXPECT_DOUBLE_EQ(load_between(before, at(0, {{"1", 6}})), 0) << "no time has passed";
}

TEST(Load, counts_what_the_host_takes_away_but_for_one_tick) {
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(load_between(at(0, {}, 3), at(100, {}, 3 + tick)), 0);
  EXPECT_NEAR(load_between(at(0, {}, 3), at(100, {}, 3 + tick + 0.1)), 0.5, 1e-9);
  EXPECT_NEAR(load_between(at(0, {{"1", 0}}, 3), at(100, {{"1", 0.07}}, 3.1)), 0.7, 1e-9);
}

TEST(Load, is_read_from_the_texts_of_the_system) {
  EXPECT_DOUBLE_EQ(waited_seconds("1011688065 659672478 60\n"), 0.659672478);
  EXPECT_EQ(waited_seconds(""), 0);
  EXPECT_EQ(waited_seconds("no numbers"), 0);
  CoreUse use;
  read_stolen("cpu  1 2 3 4 5 6 7 250 9 10\ncpu0 1 1 1 1 1 1 1 1 1 1\ncpu1 1 1\nintr 9\ncpu7 1\n",
              use);
  EXPECT_DOUBLE_EQ(use.stolen, 250.0 / static_cast<double>(sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(use.cores, 2);
  CoreUse old;
  read_stolen("cpu  1 2 3 4\ncpu0 1 2 3 4\n", old);
  EXPECT_EQ(old.stolen, 0) << "a system that does not count it";
  EXPECT_EQ(old.cores, 1);
}

void spin_for(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// While it lives, this thread has one core, and so has a process that only computes.
class SharedCore {
 public:
  SharedCore() {
    sched_getaffinity(0, sizeof(own_), &own_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int n = 0; n < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++n) {
      if (CPU_ISSET(n, &own_)) CPU_SET(n, &one);
    }
    sched_setaffinity(0, sizeof(one), &one);
    child_ = fork();
    if (child_ == 0) {
      while (getppid() != 1) {
      }
      _exit(0);
    }
  }
  ~SharedCore() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    sched_setaffinity(0, sizeof(own_), &own_);
  }
  SharedCore(const SharedCore&) = delete;
  SharedCore& operator=(const SharedCore&) = delete;

 private:
  cpu_set_t own_;
  pid_t child_ = 0;
};

TEST(Load, of_a_core_that_is_shared_is_noticed) {
  if (access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "the system does not count";
  const SharedCore with_another;
  const auto spin = [] {
    spin_for(milliseconds(100));
    return Lap{42.0, 43.0};
  };
  const Timing timing =
      measure_with_load(spin, {.warm_up = 0, .least = 3, .most = 3, .seconds = 1});
  EXPECT_EQ(timing.count, 3);
  EXPECT_EQ(timing.median_us, 42) << "by its own clock";
  EXPECT_EQ(timing.host_us, 43);
  EXPECT_TRUE(is_loaded(timing)) << timing.load;
}

}  // namespace
}  // namespace mdh::runtime::load_test
