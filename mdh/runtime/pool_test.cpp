#include "mdh/runtime/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace mdh::runtime::pool_test {
namespace {

using Numbers = Pool<int>;

TEST(Pool, thing_that_came_back_is_lent_again) {
  Numbers pool([n = 0]() mutable { return ++n; });
  for (int round = 0; round < 10; ++round) {
    const Numbers::Loan loan(pool);
    EXPECT_EQ(*loan, 1);
  }
  EXPECT_EQ(pool.made(), 1u);
}

TEST(Pool, loans_at_the_same_time_are_different_things) {
  Numbers pool([n = 0]() mutable { return ++n; });
  {
    const Numbers::Loan one(pool), two(pool), three(pool);
    EXPECT_EQ(*one + *two + *three, 1 + 2 + 3);
  }
  EXPECT_EQ(pool.made(), 3u);
  const Numbers::Loan one(pool), two(pool), three(pool);
  EXPECT_EQ(*one + *two + *three, 1 + 2 + 3) << "they were kept";
  EXPECT_EQ(pool.made(), 3u);
}

TEST(Pool, what_cannot_be_made_is_noticed_with_the_pool) {
  EXPECT_THROW(Numbers([]() -> int { throw std::runtime_error("none"); }), std::runtime_error);
}

TEST(Pool, failure_to_make_another_one_leaves_the_pool_intact) {
  Numbers pool([n = 0]() mutable { return ++n == 2 ? throw std::runtime_error("none") : n; });
  const Numbers::Loan one(pool);
  EXPECT_THROW(Numbers::Loan{pool}, std::runtime_error);
  EXPECT_EQ(pool.made(), 1u);
  const Numbers::Loan other(pool);
  EXPECT_EQ(*other, 3);
}

TEST(Pool, threads_never_share_a_thing_and_never_make_more_than_there_are_threads) {
  using Counters = Pool<std::unique_ptr<std::atomic<int>>>;
  constexpr size_t threads = 8;
  std::atomic<int> clashes{0};
  Counters pool([] { return std::make_unique<std::atomic<int>>(0); });
  std::vector<std::thread> all;
  for (size_t t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      for (int n = 0; n < 5000; ++n) {
        const Counters::Loan users(pool);
        if ((*users)->fetch_add(1) != 0) ++clashes;
        (*users)->fetch_sub(1);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_LE(pool.made(), threads);
}

}  // namespace
}  // namespace mdh::runtime::pool_test
