#include "mdh/support/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace mdh {
namespace {

TEST(Threads, do_every_part_once) {
  for (const int parts : {0, 1, 2, 7, 40}) {
    std::vector<int> done(static_cast<size_t>(parts), 0);
    in_threads(parts, [&](int part) { ++done[static_cast<size_t>(part)]; });
    EXPECT_EQ(done, std::vector<int>(static_cast<size_t>(parts), 1));
  }
}

TEST(Threads, take_every_number_once) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{3}, size_t{1000}}) {
    std::vector<int> done(count, 0);
    each_on_cores(count, [&](size_t n) { ++done[n]; });
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

TEST(Threads, failures_are_thrown_when_all_have_ended) {
  std::atomic<int> ended = 0;
  const auto fail_at_two = [&](auto part) {
    if (part == 2) throw std::runtime_error("two");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++ended;
  };
  EXPECT_THROW(in_threads(5, fail_at_two), std::runtime_error);
  EXPECT_EQ(ended, 4);
  ended = 0;
  EXPECT_THROW(each_on_cores(3, fail_at_two), std::runtime_error);
  EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace mdh
