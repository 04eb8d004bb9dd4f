#include "mdh/ll/count.h"

#include <gtest/gtest.h>

namespace mdh::ll::count_test {
namespace {

Count rows() { return Count::open("I"); }
Count columns() { return Count::open("J"); }

TEST(Count, a_number_is_a_count_and_known) {
  EXPECT_EQ(Count(42).number(), 42);
  EXPECT_EQ(Count(42).to_string(), "42");
  EXPECT_EQ(Count().number(), 0);
  EXPECT_EQ(Count(0).to_string(), "0");
  EXPECT_EQ((Count(6) * 7).number(), 42);
  EXPECT_EQ((Count(6) + 7).number(), 13);
}

TEST(Count, an_open_count_is_no_number) {
  EXPECT_EQ(rows().number(), std::nullopt);
  EXPECT_EQ((rows() + 1).number(), std::nullopt);
  EXPECT_EQ((rows() * 0).number(), 0);
  EXPECT_EQ(rows().to_string(), "I");
}

TEST(Count, sums_and_products_are_collected) {
  EXPECT_EQ((Count(2) * rows() + Count(64) + rows()).to_string(), "64 + 3 * I");
  EXPECT_EQ(((rows() + 1) * (rows() + 1)).to_string(), "1 + 2 * I + I * I");
  EXPECT_EQ(((rows() + columns()) * columns()).to_string(), "I * J + J * J");
  EXPECT_EQ(rows() * columns(), columns() * rows());
  EXPECT_EQ(rows() + columns(), columns() + rows());
  EXPECT_FALSE(rows() == columns());
}

TEST(Count, what_cancels_vanishes) {
  EXPECT_EQ(rows() + Count(-1) * rows(), Count(0));
  EXPECT_EQ((Count(5) + -5).number(), 0);
  EXPECT_EQ((Count(5) + Count(0)).to_string(), "5");
}

TEST(Count, numbers_saturate) {
  EXPECT_EQ((Count(INT64_MAX) + 1).number(), INT64_MAX);
  EXPECT_EQ((Count(int64_t{1} << 40) * (int64_t{1} << 40)).number(), INT64_MAX);
  EXPECT_EQ((Count(int64_t{1} << 31) * (int64_t{1} << 31)).number(), int64_t{1} << 62);
  EXPECT_EQ(saturating_sum(INT64_MAX - 1, 1), INT64_MAX);
  EXPECT_EQ(saturating_sum(INT64_MAX - 1, 2), INT64_MAX);
  EXPECT_EQ(saturating_sum(3, 4), 7);
  EXPECT_EQ(saturating_product(int64_t{1} << 32, int64_t{1} << 31), INT64_MAX);
  EXPECT_EQ(saturating_product(3, 4), 12);
}

TEST(Count, powers_of_one_open_count_are_different_terms) {
  Count square = rows();
  square *= rows();
  EXPECT_EQ((square + rows()).to_string(), "I + I * I");
  EXPECT_EQ((Count(2) * square).to_string(), "2 * I * I");
}

}  // namespace
}  // namespace mdh::ll::count_test
