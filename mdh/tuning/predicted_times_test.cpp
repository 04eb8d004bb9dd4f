#include "mdh/tuning/predicted_times.h"

#include <gtest/gtest.h>

#include "mdh/tune/space.h"

namespace mdh::tuning::predicted_times_test {
namespace {

TEST(PredictedTimes, rank_as_the_times_that_are_known) {
  const tune::Space space(
      {tune::numbers("a", {1, 2, 4, 8, 16, 32}), tune::numbers("b", {1, 2, 3})});
  const auto at = [&](int64_t a, int64_t b) { return *space.point({{"a", a}, {"b", b}}); };
  std::vector<RelativeTime> known;
  for (const int64_t a : {1, 2, 4, 8, 16, 32}) {
    known.push_back({at(a, 1), static_cast<double>(a)});
    known.push_back({at(a, 2), static_cast<double>(a)});
  }
  const std::vector<double> times =
      predicted_times(space, known, {at(32, 3), at(1, 3), at(4, 3)}, 1);
  ASSERT_EQ(times.size(), 3U);
  EXPECT_LT(times[1], times[2]);
  EXPECT_LT(times[2], times[0]);
}

TEST(PredictedTimes, of_nothing_known_are_all_the_same) {
  const tune::Space space({tune::numbers("a", {1, 2})});
  const std::vector<tune::Point> points = {*space.point({{"a", int64_t{1}}}),
                                           *space.point({{"a", int64_t{2}}})};
  EXPECT_EQ(predicted_times(space, {}, points, 1), (std::vector<double>{0, 0}));
  EXPECT_TRUE(predicted_times(space, {{points[0], 1}}, {}, 1).empty());
}

}  // namespace
}  // namespace mdh::tuning::predicted_times_test
