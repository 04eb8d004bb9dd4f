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

/// What was prepared, and what of it was evaluated.
struct Ahead {
  std::vector<std::string> steps;  // "prepare 4"
  std::vector<std::string> prepared, evaluated;
};

Ahead searched_ahead(size_t evaluations, size_t ahead) {
  const Space space = line(100);
  const auto technique = make_technique("random", space);
  Ahead seen;
  const auto note = [&](const char* what, std::span<const Point> points,
                        std::vector<std::string>& keys) {
    seen.steps.push_back(std::string(what) + " " + std::to_string(points.size()));
    for (const Point& point : points) keys.push_back(point.key());
  };
  const SearchOptions options{
      .batch = 4, .ahead = ahead, .prepare = [&](std::span<const Point> points) {
        note("prepare", points, seen.prepared);
      }};
  const Evaluate evaluate = [&](std::span<const Point> points) {
    note("evaluate", points, seen.evaluated);
    return costs(points);
  };
  search(*technique, evaluate, after_evaluations(evaluations), options);
  return seen;
}

TEST(Search, asks_ahead_for_what_has_to_be_prepared) {
  const Ahead seen = searched_ahead(14, 2);
  EXPECT_EQ(seen.steps,
            (std::vector<std::string>{"prepare 4", "prepare 4", "prepare 4", "evaluate 4",
                                      "prepare 2", "evaluate 4", "evaluate 4", "evaluate 2"}));
  EXPECT_EQ(seen.prepared, seen.evaluated) << "in the same order, and each once";
}

TEST(Search, asks_for_no_more_than_may_be_evaluated) {
  EXPECT_EQ(searched_ahead(3, 2).steps, (std::vector<std::string>{"prepare 3", "evaluate 3"}));
  EXPECT_EQ(searched_ahead(9, 0).evaluated.size(), 9u);
}

TEST(Search, evaluates_all_that_it_asked_for_before_a_space_is_exhausted) {
  const Space space = line(10);
  const auto technique = make_technique("exhaustive", space);
  const SearchResult result = search(*technique, costs, never_stop(), {.batch = 4, .ahead = 2});
  EXPECT_EQ(result.stopped_by, "space exhausted");
  EXPECT_EQ(result.history.size(), 10u);
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

// What is known costs no evaluation, and the technique learns of it all the same.
TEST(Search, points_that_are_known_are_told_and_not_evaluated) {
  const Space space = line(12);
  const auto technique = make_technique("exhaustive", space);
  std::vector<int64_t> evaluated;
  const Evaluate evaluate = [&](std::span<const Point> points) {
    for (const Point& point : points) evaluated.push_back(point.integer("x"));
    return costs(points);
  };
  SearchOptions options{.batch = 4};
  options.known = [](const Point& point) -> std::optional<Outcome> {
    if (point.integer("x") % 2 == 0) return failed("not valid");
    return std::nullopt;
  };
  const SearchResult result = search(*technique, evaluate, never_stop(), options);
  EXPECT_EQ(evaluated, (std::vector<int64_t>{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(result.history.size(), 6u);
  EXPECT_EQ(result.stopped_by, "space exhausted");
}

TEST(Search, a_batch_that_is_nearly_full_is_evaluated) {
  const Space space = line(100);
  std::vector<size_t> batches;
  const Evaluate evaluate = [&](std::span<const Point> points) {
    batches.push_back(points.size());
    return costs(points);
  };
  SearchOptions options{.batch = 8};
  options.known = [](const Point& point) -> std::optional<Outcome> {
    if (point.integer("x") % 4 == 0) return measured(1);
    return std::nullopt;
  };
  const auto first = make_technique("exhaustive", space);
  search(*first, evaluate, after_evaluations(8), options);
  EXPECT_EQ(batches, (std::vector<size_t>{8})) << "asked again for those that are missing";
  batches.clear();
  options.filled = 0.75;
  const auto second = make_technique("exhaustive", space);
  search(*second, evaluate, after_evaluations(12), options);
  EXPECT_EQ(batches, (std::vector<size_t>{6, 5, 1})) << "of 8, 6 and 1 that were asked for";
}

TEST(Search, evaluations_that_there_was_no_time_for_are_not_told) {
  const Space space = line(100);
  const auto technique = make_technique("exhaustive", space);
  bool is_over = false;
  const Evaluate evaluate = [&](std::span<const Point> points) {
    is_over = true;
    return costs(points.first(3));
  };
  const SearchResult result =
      search(*technique, evaluate, when([&] { return is_over; }), {.batch = 8});
  EXPECT_EQ(result.history.size(), 3u);
  EXPECT_EQ(result.stopped_by, "interrupted");
}

TEST(Search, what_was_spent_before_counts) {
  const Space space = line(100);
  const auto technique = make_technique("exhaustive", space);
  double now = 0;
  SearchOptions options{.evaluations_before = 7, .clock = [&] { return now; }};
  EXPECT_EQ(search(*technique, costs, after_evaluations(10), options).history.size(), 3u);
  options.seconds_before = 5;
  const Evaluate slowly = [&](std::span<const Point> points) {
    now += 2;
    return costs(points);
  };
  EXPECT_EQ(search(*technique, slowly, after_seconds(9), options).history.size(), 2u);
}

TEST(Search, tells_how_long_it_asked) {
  const Space space = line(100);
  const auto technique = make_technique("exhaustive", space);
  double now = 0;
  SearchOptions options{.clock = [&] { return now; }};
  options.known = [&](const Point&) {
    now += 3;  // as a validator takes its time
    return std::optional<Outcome>();
  };
  const Evaluate slowly = [&](std::span<const Point> points) {
    now += 100;
    return costs(points);
  };
  EXPECT_EQ(search(*technique, slowly, after_evaluations(2), options).asking, 6);
}

TEST(StopRule, may_have_another_name_or_an_excuse) {
  const Progress late{.evaluations = 5, .seconds = 10};
  EXPECT_EQ(called("time", after_seconds(3)).reason(late), "time");
  EXPECT_FALSE(called("time", after_seconds(30)).reason(late));
  EXPECT_EQ(called("enough", after_evaluations(8)).room(late), 3u);
  bool excuse = true;
  const StopRule rule = unless([&] { return excuse; }, after_evaluations(5));
  EXPECT_FALSE(rule.reason(late));
  excuse = false;
  EXPECT_EQ(rule.reason(late), "5 evaluations");
  EXPECT_EQ(rule.room({.evaluations = 2}), 3u);
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
