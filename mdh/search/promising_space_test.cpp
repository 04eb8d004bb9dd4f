#include "mdh/search/promising_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mdh/tune/space.h"

namespace mdh::search::promising_space_test {
namespace {

/// Costs are far from a * b = 24.
double cost(const tune::Point& point) {
  const double product = static_cast<double>(point.integer("a") * point.integer("b"));
  return product > 24 ? product / 24 : 24 / product;
}

tune::Space space() {
  return tune::Space({tune::numbers("a", {1, 2, 3, 4, 6, 8, 12, 24, 48}),
                      tune::numbers("b", {1, 2, 3, 4, 6, 8, 12, 24, 48})});
}

std::vector<tune::Point> good(const tune::Space& space) {
  return {*space.point({{"a", int64_t{4}}, {"b", int64_t{6}}})};
}

TEST(PromisingSpace, points_that_are_near_in_other_ways_are_neighbours_if_they_are_not_much_worse) {
  const tune::Space all = space();
  const auto at = [&](int64_t a, int64_t b) { return *all.point({{"a", a}, {"b", b}}); };
  const std::vector<tune::Point> others = {at(24, 1), at(48, 48)};
  const PromisingSpace promising(
      all, good(all), cost,
      {.all = [&](const tune::Point&) { return others; },
       .one = [&](const tune::Point&, Random& random) { return random.pick(others); }});
  std::set<std::string> keys;
  for (const tune::Point& near : promising.neighbours(at(4, 6))) keys.insert(near.key());
  EXPECT_TRUE(keys.contains(at(24, 1).key()));
  EXPECT_FALSE(keys.contains(at(48, 48).key()));
  Random random(1);
  int reached = 0;
  for (int n = 0; n < 100; ++n) {
    reached += promising.mutate(at(4, 6), random).key() == at(24, 1).key() ? 1 : 0;
  }
  EXPECT_GT(reached, 5);
}

TEST(PromisingSpace, what_is_drawn_is_near_and_not_much_worse) {
  const tune::Space all = space();
  const PromisingSpace promising(all, good(all), cost);
  Random random(1);
  std::set<std::string> seen;
  for (int n = 0; n < 200; ++n) {
    const tune::Point point = promising.sample(random);
    EXPECT_TRUE(all.contains(point));
    EXPECT_LE(cost(point), 2) << point.key();
    seen.insert(point.key());
  }
  EXPECT_GT(seen.size(), 5U);
}

TEST(PromisingSpace, neighbours_that_are_much_worse_are_left_out) {
  const tune::Space all = space();
  const PromisingSpace promising(all, good(all), cost);
  const tune::Point at = good(all).front();
  EXPECT_LT(promising.neighbours(at).size(), all.neighbours(at).size());
  for (const tune::Point& near : promising.neighbours(at)) EXPECT_LE(cost(near), 2);
  // From a bad point one comes back.
  const tune::Point bad = *all.point({{"a", int64_t{48}}, {"b", int64_t{48}}});
  EXPECT_FALSE(promising.neighbours(bad).empty());
}

TEST(PromisingSpace, the_estimate_is_a_feature_and_computed_once) {
  const tune::Space all = space();
  int calls = 0;
  const PromisingSpace promising(all, good(all), [&](const tune::Point& p) {
    ++calls;
    return cost(p);
  });
  const tune::Point at = *all.point({{"a", int64_t{1}}, {"b", int64_t{1}}});
  const std::vector<double> features = promising.features(at);
  ASSERT_EQ(features.size(), all.features(at).size() + 1);
  EXPECT_DOUBLE_EQ(features.back(), std::log(24.0));
  const int before = calls;
  promising.features(at);
  EXPECT_EQ(calls, before);
}

}  // namespace
}  // namespace mdh::search::promising_space_test
