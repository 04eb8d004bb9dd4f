#include "mdh/ll/partitions.h"

#include <gtest/gtest.h>

namespace mdh::ll::partitions_test {
namespace {

/// Ordered factorisations, listed one by one.
uint64_t listed(int64_t size, int layers) {
  if (layers == 1) return 1;
  uint64_t count = 0;
  for (int64_t parts = 1; parts <= size; ++parts) {
    if (size % parts == 0) count += listed(size / parts, layers - 1);
  }
  return count;
}

TEST(Partitions, are_as_many_as_are_listed) {
  for (int64_t size = 1; size <= 100; ++size) {
    for (int layers = 1; layers <= 5; ++layers) {
      EXPECT_EQ(exact_partitions({size}, layers), listed(size, layers)) << size << " " << layers;
    }
  }
}

TEST(Partitions, of_several_dimensions_are_independent) {
  EXPECT_EQ(exact_partitions({12, 1, 30}, 3), listed(12, 3) * listed(30, 3));
  EXPECT_EQ(exact_partitions({}, 3), 1u);
}

TEST(Partitions, of_the_papers_examples) {
  EXPECT_EQ(exact_partitions({512, 4096}, 3), 5005u);
  EXPECT_EQ(exact_partitions({16, 1000, 2048}, 5), 117048750u);
}

TEST(Partitions, that_are_too_many_for_64_bits_saturate) {
  const std::vector<int64_t> sizes(10, int64_t{1} << 40);
  EXPECT_EQ(exact_partitions(sizes, 9), UINT64_MAX);
  EXPECT_EQ(exact_partitions({int64_t{1} << 62}, 9), 9440350920u);
  EXPECT_EQ(exact_partitions({int64_t{1} << 62}, 1000), UINT64_MAX);
}

TEST(Partitions, of_large_primes_are_found) {
  EXPECT_EQ(exact_partitions({2147483647}, 4), 4u);
  EXPECT_EQ(exact_partitions({int64_t{46337} * 46337}, 4), 10u);
}

}  // namespace
}  // namespace mdh::ll::partitions_test
