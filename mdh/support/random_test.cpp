#include "mdh/support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace mdh::random_test {
namespace {

// The published sequence of splitmix64 for this seed.
TEST(Random, sequence_is_that_of_splitmix64) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
  EXPECT_EQ(random.next(), 4593380528125082431u);
  EXPECT_EQ(random.next(), 16408922859458223821u);
}

TEST(Random, equal_seeds_agree_and_others_do_not) {
  Random a(7), b(7), c(8);
  const uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Random, between_reaches_both_ends_and_nothing_else) {
  Random random(1);
  std::set<int64_t> seen;
  for (int n = 0; n < 200; ++n) seen.insert(random.between(-2, 3));
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(random.between(5, 5), 5);
}

TEST(Random, between_covers_all_64_bits) {
  constexpr int64_t low = std::numeric_limits<int64_t>::min(),
                    high = std::numeric_limits<int64_t>::max();
  Random random(1);
  bool negative = false, positive = false;
  for (int n = 0; n < 64; ++n) {
    const int64_t i = random.between(low, high);
    negative = negative || i < low / 2;
    positive = positive || i > high / 2;
  }
  EXPECT_TRUE(negative);
  EXPECT_TRUE(positive);
  for (int n = 0; n < 64; ++n) EXPECT_LE(random.between(low, high - 1), high - 1);
}

TEST(Random, chance_is_never_at_0_and_always_at_100_percent) {
  Random random(1);
  int seldom = 0;
  for (int n = 0; n < 1000; ++n) {
    EXPECT_FALSE(random.chance(0));
    EXPECT_TRUE(random.chance(100));
    seldom += random.chance(10) ? 1 : 0;
  }
  EXPECT_GT(seldom, 50);
  EXPECT_LT(seldom, 150);
}

TEST(Random, pick_finds_every_element) {
  Random random(1);
  const std::vector<int> from = {10, 20, 30};
  std::set<int> seen;
  for (int n = 0; n < 100; ++n) seen.insert(random.pick(from));
  EXPECT_EQ(seen, (std::set<int>{10, 20, 30}));
}

TEST(Random, shuffle_permutes_and_reaches_every_order) {
  Random random(1);
  std::set<std::vector<int>> orders;
  for (int n = 0; n < 200; ++n) {
    std::vector<int> items = {1, 2, 3};
    random.shuffle(items);
    orders.insert(items);
    std::sort(items.begin(), items.end());
    EXPECT_EQ(items, (std::vector<int>{1, 2, 3}));
  }
  EXPECT_EQ(orders.size(), 6u);
}

}  // namespace
}  // namespace mdh::random_test
