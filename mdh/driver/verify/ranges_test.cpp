#include "mdh/driver/verify/ranges.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace mdh::driver {
namespace {

TEST(Ranges, every_number_has_its_turn_once) {
  for (const int64_t count : {0, 1, 2, 17, 1000, 100003}) {
    std::vector<std::atomic<int>> turns(static_cast<size_t>(count));
    std::atomic<int> workers = 0;
    in_turns(count, [&]() -> Worker {
      ++workers;
      return [&, last = int64_t{-1}](int64_t n) mutable {
        EXPECT_GT(n, last);
        last = n;
        ++turns[static_cast<size_t>(n)];
      };
    });
    for (const std::atomic<int>& turn : turns) ASSERT_EQ(turn, 1) << count;
    EXPECT_LE(workers, most_ranges());
    EXPECT_EQ(workers == 1, count < 2 || most_ranges() == 1);
  }
}

TEST(Ranges, what_a_worker_throws_is_thrown_here) {
  const auto make_worker = []() -> Worker {
    return [](int64_t n) {
      if (n == 77) throw std::runtime_error("77 is too much");
    };
  };
  EXPECT_THROW(in_turns(100, make_worker), std::runtime_error);
}

}  // namespace
}  // namespace mdh::driver
