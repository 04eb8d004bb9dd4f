#include "mdh/tune/technique.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mdh/support/diagnostic.h"
#include "mdh/tune/listed_space.h"
#include "mdh/tune/search.h"
#include "mdh/tune/space.h"

namespace mdh::tune::technique_test {
namespace {

// Three tile sizes that share a budget, an order and a flag; 210 points.
Space tiles() {
  const auto rest = [](const Point& point) {
    int64_t left = 16;
    for (size_t n = 0; n < point.size(); ++n) left /= std::get<int64_t>(point[n]);
    return left;
  };
  return Space({divisors("a", {}, rest), divisors("b", {"a"}, rest),
                divisors("c", {"a", "b"}, rest), labels("order", {"abc", "bca", "cab"}),
                numbers("pad", {0, 1})});
}

// Valleys in log space that are shifted by the order; some points fail.
Outcome tile_cost(const Point& point) {
  const double a = std::log2(point.integer("a")), b = std::log2(point.integer("b")),
               c = std::log2(point.integer("c"));
  if (a + b + c > 3.5) return failed("too many threads");
  const double shift = point.label("order") == "bca" ? 0 : 1;
  const double cost =
      10 + (a - 1) * (a - 1) + 2 * std::abs(b - 1 - shift) + (a + c - 2) * (a + c - 2);
  return measured(cost + 3 * shift + static_cast<double>(point.integer("pad")));
}

std::vector<Outcome> tile_costs(std::span<const Point> points) {
  std::vector<Outcome> outcomes;
  for (const Point& point : points) outcomes.push_back(tile_cost(point));
  return outcomes;
}

std::vector<std::string> trace(const SearchDomain& domain, std::string_view name, uint64_t seed,
                               size_t batch, size_t evaluations) {
  const auto technique = make_technique(name, domain, {.seed = seed});
  const SearchResult result =
      search(*technique, tile_costs, after_evaluations(evaluations), {.batch = batch});
  std::vector<std::string> keys;
  for (const Evaluation& evaluation : result.history.evaluations()) {
    EXPECT_TRUE(domain.contains(evaluation.point)) << name << ": " << evaluation.point.key();
    keys.push_back(evaluation.point.key());
  }
  return keys;
}

class EveryTechnique : public testing::TestWithParam<std::string> {};

TEST_P(EveryTechnique, asks_for_every_point_once_until_none_is_left) {
  const Space space = tiles();
  for (size_t batch : {1, 7}) {
    const std::vector<std::string> keys = trace(space, GetParam(), 1, batch, 100'000);
    EXPECT_EQ(keys.size(), static_cast<size_t>(*space.size()));
    EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), keys.size());
  }
}

TEST_P(EveryTechnique, is_determined_by_its_seed) {
  const Space space = tiles();
  EXPECT_EQ(trace(space, GetParam(), 5, 3, 60), trace(space, GetParam(), 5, 3, 60));
  if (GetParam() == "exhaustive") return;
  EXPECT_NE(trace(space, GetParam(), 5, 3, 60), trace(space, GetParam(), 6, 3, 60));
}

TEST_P(EveryTechnique, does_not_ask_for_what_it_was_told) {
  const Space space = tiles();
  const auto technique = make_technique(GetParam(), space);
  std::set<std::string> told;
  for (Count n = 0; n < *space.size(); n += 2) {
    technique->tell(space.at(n), tile_cost(space.at(n)));
    told.insert(space.at(n).key());
  }
  for (int n = 0; n < 100; ++n) {
    for (const Point& point : technique->ask(2)) {
      EXPECT_EQ(told.count(point.key()), 0u) << point.key();
      technique->tell(point, tile_cost(point));
    }
  }
}

TEST_P(EveryTechnique, begins_with_the_candidates_it_is_given) {
  if (GetParam() == "exhaustive") return;
  const Space space = tiles();
  const Point first = space.at(77), second = space.at(11);
  const auto technique = make_technique(GetParam(), space, {.candidates = {first, second, first}});
  const std::vector<Point> points = technique->ask(3);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].key(), first.key());
  EXPECT_EQ(points[1].key(), second.key());
  EXPECT_NE(points[2].key(), first.key());
}

TEST_P(EveryTechnique, survives_a_space_in_which_everything_fails) {
  const Space space = tiles();
  const auto technique = make_technique(GetParam(), space);
  for (int n = 0; n < 80; ++n) {
    const std::vector<Point> points = technique->ask(2);
    ASSERT_EQ(points.size(), 2u);
    for (const Point& point : points) technique->tell(point, failed("crashes"));
  }
}

TEST_P(EveryTechnique, takes_a_space_of_one_point_and_one_of_none) {
  const Space one({numbers("a", {4}), numbers("b", {1})}), none({numbers("a", {})});
  EXPECT_EQ(make_technique(GetParam(), one)->ask(5).size(), 1u);
  if (GetParam() == "exhaustive" || GetParam() == "random") {
    EXPECT_TRUE(make_technique(GetParam(), none)->ask(5).empty());
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const TechniqueRow& row : techniques()) names.emplace_back(row.name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Techniques, EveryTechnique, testing::ValuesIn(all_names()), test_name);

TEST(Techniques, unknown_name_is_answered_with_a_near_one) {
  const Space space = tiles();
  try {
    make_technique("bandid", space);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostic().hint, "did you mean 'bandit'?");
  }
}

TEST(Techniques, exhaustive_search_needs_a_size) {
  const Space space(
      {numbers("a", {1, 2}), divisors("b", {"a"}, [](const Point& p) { return p.integer("a"); })},
      {.max_nodes = 1});
  EXPECT_THROW(make_technique("exhaustive", space), Error);
  EXPECT_EQ(make_technique("random", space)->ask(5).size(), 3u);
  EXPECT_EQ(make_technique("auto", space)->ask(5).size(), 3u);
}

// ---- Synthetic landscapes ----------------------------------------------------------------------

// Six parameters of sixteen values: 16.8 million points.
Space grid() {
  std::vector<int64_t> values;
  for (int64_t n = 0; n < 16; ++n) values.push_back(int64_t{1} << n);
  std::vector<Parameter> parameters;
  for (int n = 0; n < 6; ++n) parameters.push_back(numbers("x" + std::to_string(n), values));
  return Space(std::move(parameters));
}

// Distance from a goal, with ripples, or with a valley along a diagonal.
double landscape(int kind, const Point& point) {
  double cost = 1;
  for (size_t n = 0; n < point.size(); ++n) {
    const double x = std::log2(static_cast<double>(std::get<int64_t>(point[n])));
    const double d = x - static_cast<double>(3 + 2 * (n % 5));
    cost +=
        kind == 0 ? d * d / 20 : std::abs(d) / 5 + (kind == 1 ? 0.3 * (1 - std::cos(3 * d)) : 0);
    if (kind == 2 && n > 0) {
      const double before = std::log2(static_cast<double>(std::get<int64_t>(point[n - 1])));
      cost += std::abs(x + before - 10) / 5;
    }
  }
  return cost;
}

double best_after(std::string_view name, const SearchDomain& domain, int kind, uint64_t seed,
                  size_t evaluations) {
  const auto technique = make_technique(name, domain, {.seed = seed});
  const Evaluate evaluate = [kind](std::span<const Point> points) {
    std::vector<Outcome> outcomes;
    for (const Point& point : points) outcomes.push_back(measured(landscape(kind, point)));
    return outcomes;
  };
  const SearchResult result = search(*technique, evaluate, after_evaluations(evaluations));
  return *result.history.best()->outcome.cost;
}

// The chance of at least `wins` heads in `games` tosses.
double sign_test(int wins, int games) {
  double sum = 0, term = std::pow(0.5, games);
  for (int k = 0; k <= games; ++k) {
    if (k >= wins) sum += term;
    term = term * (games - k) / (k + 1);
  }
  return sum;
}

TEST(Techniques, bandit_beats_random_on_synthetic_landscapes) {
  const Space space = grid();
  for (int kind = 0; kind < 3; ++kind) {
    int wins = 0;
    constexpr int games = 20;
    for (uint64_t seed = 1; seed <= games; ++seed) {
      wins += best_after("bandit", space, kind, seed, 150) <
                      best_after("random", space, kind, seed, 150)
                  ? 1
                  : 0;
    }
    EXPECT_LT(sign_test(wins, games), 0.01) << "landscape " << kind << ": " << wins << " wins";
  }
}

TEST(Techniques, auto_beats_random_in_a_space_too_large_to_be_scored) {
  const Space space = grid();
  int wins = 0;
  constexpr int games = 8;
  for (uint64_t seed = 1; seed <= games; ++seed) {
    const double ours = best_after("auto", space, 1, seed, 60);
    wins += ours < best_after("random", space, 1, seed, 60) ? 1 : 0;
  }
  EXPECT_LT(sign_test(wins, games), 0.05) << wins << " wins";
}

}  // namespace
}  // namespace mdh::tune::technique_test
