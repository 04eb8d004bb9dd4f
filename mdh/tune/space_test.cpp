#include "mdh/tune/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mdh/support/diagnostic.h"

namespace mdh::tune::space_test {
namespace {

using Names = std::vector<std::string>;

// The ways to write `size` as an ordered product of `layers` factors: the last one is what is left.
void add_factorisation(std::vector<Parameter>& parameters, const std::string& dimension,
                       int64_t size, int layers) {
  Names earlier;
  for (int layer = 0; layer < layers; ++layer) {
    const auto rest = [size](const Point& point) {
      int64_t product = 1;
      for (size_t n = 0; n < point.size(); ++n) product *= std::get<int64_t>(point[n]);
      return size / product;
    };
    const std::string name = dimension + std::to_string(layer);
    parameters.push_back(layer + 1 < layers ? divisors(name, earlier, rest)
                                            : derived(name, earlier, rest));
    earlier.push_back(name);
  }
}

Space factorisations(const std::vector<int64_t>& sizes, int layers) {
  std::vector<Parameter> parameters;
  for (size_t n = 0; n < sizes.size(); ++n) {
    add_factorisation(parameters, std::string(1, static_cast<char>('i' + n)), sizes[n], layers);
  }
  return Space(std::move(parameters));
}

// a in 1..6, b a divisor of it, c at most a - b; no c for b = a. d is free.
Space small_space() {
  const Range below = [](const Point& earlier) {
    std::vector<Value> values;
    for (int64_t c = 1; c <= earlier.integer("a") - earlier.integer("b"); ++c) values.push_back(c);
    return values;
  };
  return Space({numbers("a", {1, 2, 3, 4, 5, 6}),
                divisors("b", {"a"}, [](const Point& p) { return p.integer("a"); }),
                {"c", below, {"a", "b"}},
                labels("d", {"x", "y", "z"})});
}

// The same by brute force.
int64_t small_count() {
  int64_t count = 0;
  for (int a = 1; a <= 6; ++a) {
    for (int b = 1; b <= a; ++b) count += a % b == 0 ? a - b : 0;
  }
  return 3 * count;
}

TEST(Space, counts_the_ordered_factorisations_of_matvec) {
  const Space space = factorisations({512, 4096}, 3);
  EXPECT_EQ(space.groups(), 2u);
  EXPECT_EQ(to_string(*space.size()), "5005");
}

TEST(Space, counts_the_ordered_factorisations_of_matmul) {
  const Space space = factorisations({16, 1000, 2048}, 5);
  EXPECT_EQ(to_string(*space.size()), "117048750");
  Random random(1);
  for (int n = 0; n < 1000; ++n) {
    const Count index = static_cast<Count>(random.between(0, 117048749));
    EXPECT_EQ(space.index_of(space.at(index)), index);
  }
}

TEST(Space, does_not_enumerate_products_of_independent_groups) {
  std::vector<Parameter> parameters;
  for (int n = 0; n < 30; ++n) parameters.push_back(numbers("p" + std::to_string(n), {1, 2, 3, 4}));
  const Space space(parameters);
  EXPECT_EQ(space.groups(), 30u);
  EXPECT_EQ(to_string(*space.size()), "1152921504606846976");  // 4^30
}

TEST(Space, says_nothing_about_a_size_beyond_128_bits) {
  std::vector<Parameter> parameters;
  for (int n = 0; n < 70; ++n) parameters.push_back(numbers("p" + std::to_string(n), {1, 2, 3, 4}));
  const Space space(parameters);
  EXPECT_FALSE(space.size().has_value());
  Random random(1);
  EXPECT_TRUE(space.contains(space.sample(random)));
}

// What is left to distribute is all that matters: 2^40 on ten factors is C(49, 9) points.
TEST(Space, derived_parameters_share_subtrees) {
  std::vector<Parameter> parameters;
  std::string rest;
  for (int n = 0; n < 9; ++n) {
    const auto left = [rest](const Point& p) {
      return rest.empty() ? int64_t{1} << 40 : p.integer(rest);
    };
    const std::string name = "f" + std::to_string(n), next = "rest" + std::to_string(n);
    const Names before = rest.empty() ? Names{} : Names{rest};
    Names both = before;
    both.push_back(name);
    parameters.push_back(divisors(name, before, left));
    parameters.push_back(
        derived(next, both, [left, name](const Point& p) { return left(p) / p.integer(name); }));
    rest = next;
  }
  const Space space(std::move(parameters), {.max_nodes = 30'000});
  EXPECT_EQ(to_string(*space.size()), "2054455634");
  EXPECT_EQ(*space.index_of(space.at(2054455633)), Count{2054455633});
}

TEST(Space, points_and_numbers_are_the_same_thing) {
  const Space space = small_space();
  ASSERT_EQ(*space.size(), static_cast<Count>(small_count()));
  std::set<std::string> keys;
  for (Count n = 0; n < *space.size(); ++n) {
    const Point point = space.at(n);
    EXPECT_EQ(space.index_of(point), n);
    EXPECT_GE(point.integer("a") - point.integer("b"), point.integer("c"));
    keys.insert(point.key());
  }
  EXPECT_EQ(keys.size(), static_cast<size_t>(*space.size()));
}

TEST(Space, samples_are_uniform) {
  const Space space = small_space();
  const auto size = static_cast<size_t>(*space.size());
  std::vector<double> counts(size, 0);
  Random random(3);
  const double expected = 200;
  for (size_t n = 0; n < size * static_cast<size_t>(expected); ++n) {
    ++counts[static_cast<size_t>(*space.index_of(space.sample(random)))];
  }
  double chi_square = 0;
  for (double count : counts) chi_square += (count - expected) * (count - expected) / expected;
  const double freedom = static_cast<double>(size - 1);
  EXPECT_LT(chi_square, freedom + 4 * std::sqrt(2 * freedom));
}

TEST(Space, refuses_points_that_are_not_valid) {
  const Space space = small_space();
  EXPECT_TRUE(space.point({{"a", 6}, {"b", 2}, {"c", 4}, {"d", "x"}}).has_value());
  EXPECT_FALSE(space.point({{"a", 6}, {"b", 2}, {"c", 5}, {"d", "x"}}).has_value());
  EXPECT_FALSE(space.point({{"a", 6}, {"b", 2}, {"c", 4}}).has_value());
  EXPECT_EQ(space.repair({{"a", 6}, {"b", 2}, {"c", 5}}).key(), "a=6 b=2 c=4 d=x");
}

TEST(Space, neighbours_change_one_parameter_and_repair_the_next) {
  const Space space = small_space();
  const Point point = *space.point({{"a", 6}, {"b", 2}, {"c", 4}, {"d", "x"}});
  const std::vector<Point> neighbours = space.neighbours(point);
  std::set<std::string> keys;
  for (const Point& neighbour : neighbours) {
    EXPECT_TRUE(space.contains(neighbour)) << neighbour.key();
    EXPECT_FALSE(neighbour == point);
    keys.insert(neighbour.key());
  }
  EXPECT_EQ(keys.size(), neighbours.size());
  EXPECT_EQ(keys.count("a=6 b=2 c=3 d=x"), 1u);
  EXPECT_EQ(keys.count("a=6 b=3 c=3 d=x"), 1u);
  EXPECT_EQ(keys.count("a=4 b=2 c=2 d=x"), 1u);
  EXPECT_EQ(keys.count("a=6 b=2 c=4 d=z"), 1u);
}

TEST(Space, coordinates_lead_back_to_the_point) {
  const Space space = factorisations({512, 1000}, 4);
  Random random(5);
  for (int n = 0; n < 200; ++n) {
    const Point point = space.sample(random);
    EXPECT_EQ(space.nearest(space.coordinates(point)).key(), point.key());
    EXPECT_EQ(space.coordinates(point).size(), 6u);  // the last factors follow
  }
}

TEST(Space, a_range_reads_only_what_it_declares) {
  const Range peeks = [](const Point& earlier) { return std::vector<Value>{earlier.integer("a")}; };
  EXPECT_THROW(Space({numbers("a", {1}), {"b", peeks, {}}}), Error);
  EXPECT_THROW(Space({{"b", peeks, {"a"}}, numbers("a", {1})}), Error);
}

TEST(Space, knows_that_it_is_empty) {
  EXPECT_TRUE(Space({numbers("a", {1, 2}), numbers("b", {})}).empty());
  EXPECT_EQ(*Space({numbers("a", {1, 2}), numbers("b", {})}).size(), Count{0});
  EXPECT_FALSE(small_space().empty());
}

// ---- Random constraints ------------------------------------------------------------------------

// Parameters that depend on up to two random earlier ones; some ranges are empty for some values.
std::vector<Parameter> random_parameters(Random& random) {
  std::vector<Parameter> parameters;
  const int64_t count = random.between(2, 6);
  for (int64_t n = 0; n < count; ++n) {
    Parameter parameter{"p" + std::to_string(n), {}, {}};
    for (int64_t k = random.between(0, 2); k > 0 && n > 0; --k) {
      const std::string name = "p" + std::to_string(random.between(0, n - 1));
      Names& names = parameter.depends_on;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    const int64_t width = random.between(2, 5), modulus = random.between(1, 3);
    parameter.kind = random.chance(30) ? ParameterKind::categorical : ParameterKind::ordinal;
    parameter.range = [width, modulus](const Point& earlier) {
      int64_t sum = 0;
      for (size_t k = 0; k < earlier.size(); ++k) sum += std::get<int64_t>(earlier[k]);
      std::vector<Value> values;
      for (int64_t v = 1; v <= width; ++v) {
        if (earlier.size() == 0 || (sum + v) % (modulus + 1) == 0) values.push_back(v);
      }
      return values;
    };
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

void expect_valid_moves(const Space& space, Random& random) {
  Point point = space.sample(random);
  for (int step = 0; step < 20; ++step) {
    const Point changed = space.mutate(point, random);
    ASSERT_TRUE(space.contains(changed)) << changed.key();
    EXPECT_TRUE(!(changed == point) || space.neighbours(point).empty());
    std::vector<double> place = space.coordinates(point);
    for (double& x : place) x = static_cast<double>(random.between(-10, 110)) / 100;
    EXPECT_TRUE(space.contains(space.nearest(place)));
    point = changed;
  }
}

TEST(Space, moves_are_valid_under_random_constraints) {
  Random random(11);
  int used = 0;
  for (int n = 0; n < 300; ++n) {
    const Space space(random_parameters(random));
    if (space.empty()) continue;
    ++used;
    for (int k = 0; k < 5; ++k) {
      const Count index = static_cast<Count>(random.next()) % *space.size();
      EXPECT_EQ(space.index_of(space.at(index)), index);
    }
    expect_valid_moves(space, random);
  }
  EXPECT_GT(used, 100);
}

TEST(Space, too_large_a_group_is_searched_without_a_tree) {
  Random random(13);
  int used = 0;
  for (int n = 0; n < 100; ++n) {
    std::vector<Parameter> parameters = random_parameters(random);
    const Space counted(parameters), open(std::move(parameters), {.max_nodes = 1});
    EXPECT_EQ(counted.empty(), open.empty());
    if (counted.empty()) continue;
    ++used;
    EXPECT_FALSE(open.size().has_value());
    expect_valid_moves(open, random);
    EXPECT_TRUE(counted.contains(open.sample(random)));
    EXPECT_TRUE(open.contains(counted.sample(random)));
  }
  EXPECT_GT(used, 30);
}

}  // namespace
}  // namespace mdh::tune::space_test
