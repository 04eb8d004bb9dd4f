#include "mdh/tune/listed_space.h"

#include <gtest/gtest.h>

#include <set>

namespace mdh::tune::listed_space_test {
namespace {

ListedSpace listed() {
  return ListedSpace({{{"a", 1}, {"b", 4}},
                      {{"a", 2}, {"b", 4}},
                      {{"a", 2}, {"b", 8}},
                      {{"a", 2}},
                      {{"a", 16}, {"b", 32}, {"mode", "fast"}},
                      {{"a", 2}, {"b", 4}}});
}

TEST(ListedSpace, keeps_each_point_once) {
  const ListedSpace space = listed();
  EXPECT_EQ(*space.size(), Count{5});
  for (size_t n = 0; n < 5; ++n) EXPECT_EQ(space.index_of(space.points()[n]), n);
}

TEST(ListedSpace, neighbours_differ_in_a_value_or_in_its_absence) {
  const ListedSpace space = listed();
  std::set<std::string> keys;
  for (const Point& point : space.neighbours(space.points()[1])) keys.insert(point.key());
  EXPECT_EQ(keys, (std::set<std::string>{"a=1 b=4", "a=2", "a=2 b=8"}));
  EXPECT_TRUE(space.neighbours(space.points()[4]).empty());
}

TEST(ListedSpace, mutation_of_a_lonely_point_takes_the_least_different) {
  const ListedSpace space = listed();
  Random random(1);
  for (int n = 0; n < 20; ++n) {
    const Point changed = space.mutate(space.points()[4], random);
    EXPECT_TRUE(space.contains(changed));
    EXPECT_FALSE(changed == space.points()[4]);
  }
}

TEST(ListedSpace, nearest_to_the_place_of_a_point_is_the_point) {
  const ListedSpace space = listed();
  for (const Point& point : space.points()) {
    EXPECT_EQ(space.nearest(space.coordinates(point)).key(), point.key());
  }
}

TEST(ListedSpace, numbers_are_ordered_by_their_logarithm) {
  const ListedSpace space({{{"a", 0}}, {{"a", 1}}, {{"a", 2}}, {{"a", 4}}, {{"a", 8}}});
  for (size_t n = 0; n < 5; ++n) {
    EXPECT_DOUBLE_EQ(space.features(space.points()[n])[0], static_cast<double>(n));
  }
}

}  // namespace
}  // namespace mdh::tune::listed_space_test
