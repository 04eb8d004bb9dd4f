#include "mdh/tune/search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdh/tune/space.h"

namespace mdh::tune::search_test {
namespace {

Space line(int64_t count) {
  std::vector<int64_t> values;
  for (int64_t n = 1; n <= count; ++n) values.push_back(n);
  return Space({numbers("x", values)});
}

// The cost is x, and every third fails.
std::vector<Outcome> costs(std::span<const Point> points) {
  std::vector<Outcome> outcomes;
  for (const Point& point : points) {
    const int64_t x = point.integer("x");
    outcomes.push_back(x % 3 == 0 ? failed("does not compile") : measured(static_cast<double>(x)));
  }
  return outcomes;
}

TEST(Search, ends_when_the_space_is_exhausted) {
  const Space space = line(10);
  const auto technique = make_technique("exhaustive", space);
  const SearchResult result = search(*technique, costs, never_stop());
  EXPECT_EQ(result.stopped_by, "space exhausted");
  EXPECT_EQ(result.history.size(), 10u);
  EXPECT_EQ(*result.history.best()->outcome.cost, 1);
}

TEST(Search, batches_are_cut_to_the_evaluations_that_are_left) {
  const Space space = line(100);
  const auto technique = make_technique("random", space);
  std::vector<size_t> batches;
  const Evaluate evaluate = [&](std::span<const Point> points) {
    batches.push_back(points.size());
    return costs(points);
  };
  const SearchResult result = search(*technique, evaluate, after_evaluations(10), {.batch = 4});
  EXPECT_EQ(batches, (std::vector<size_t>{4, 4, 2}));
  EXPECT_EQ(result.stopped_by, "10 evaluations");
}

TEST(Search, stops_at_the_deadline) {
  const Space space = line(100);
  const auto technique = make_technique("random", space);
  double now = 100;
  const SearchOptions options{.clock = [&] { return now; }};
  const Evaluate evaluate = [&](std::span<const Point> points) {
    now += 2;
    return costs(points);
  };
  const SearchResult result = search(*technique, evaluate, after_seconds(5), options);
  EXPECT_EQ(result.history.size(), 3u);
  EXPECT_EQ(result.history.evaluations()[2].seconds, 6);
  EXPECT_EQ(result.stopped_by, "5 s");
}

TEST(Search, rules_compose) {
  const Space space = line(100);
  const auto technique = make_technique("exhaustive", space);
  const StopRule rule = any_of({after_evaluations(50), on_plateau(7), after_seconds(1e9)});
  const SearchResult result = search(*technique, costs, rule);
  EXPECT_EQ(result.stopped_by, "no gain in 7 evaluations");  // the first is the best
  EXPECT_EQ(result.history.size(), 8u);
  int calls = 0;
  const auto again = make_technique("exhaustive", space);
  const auto asked = when([&] { return ++calls > 3; });
  EXPECT_EQ(search(*again, costs, asked).stopped_by, "interrupted");
  EXPECT_EQ(search(*again, costs, at_cost(4)).history.size(), 1u);
}

TEST(History, small_gains_add_up_before_they_count) {
  const Space space = line(10);
  History history;
  for (double cost : {100.0, 99.5, 99.2, 98.8, 98.7}) {
    history.add({space.at(0), measured(cost), 0});
  }
  EXPECT_EQ(history.without_gain(0), 0u);
  EXPECT_EQ(history.without_gain(0.01), 1u);  // 98.8 is the first below 99
  EXPECT_EQ(history.without_gain(0.5), 4u);
}

TEST(History, ranks_what_was_measured) {
  const Space space = line(9);
  const auto technique = make_technique("random", space);
  const SearchResult result = search(*technique, costs, never_stop());
  const auto ranking = result.history.ranking(3);
  ASSERT_EQ(ranking.size(), 3u);
  EXPECT_EQ(*ranking[0]->outcome.cost, 1);
  EXPECT_EQ(*ranking[1]->outcome.cost, 2);
  EXPECT_EQ(*ranking[2]->outcome.cost, 4);
  EXPECT_EQ(result.history.ranking(100).size(), 6u);
}

TEST(History, nothing_is_best_where_all_failed) {
  const Space space = line(3);
  const auto technique = make_technique("auto", space);
  const Evaluate all_fail = [](std::span<const Point> points) {
    return std::vector<Outcome>(points.size(), failed("crashes"));
  };
  const SearchResult result = search(*technique, all_fail, on_plateau(2));
  EXPECT_EQ(result.history.best(), nullptr);
  EXPECT_EQ(result.stopped_by, "space exhausted");
}

}  // namespace
}  // namespace mdh::tune::search_test
