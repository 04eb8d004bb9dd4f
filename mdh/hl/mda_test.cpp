#include "mdh/hl/mda.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/parse.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::hl::mda_test {
namespace {

using Set = std::vector<int64_t>;

/// The value of a point and component tells which they are.
Value label(std::span<const int64_t> point, size_t component) {
  int64_t number = static_cast<int64_t>(component);
  for (const int64_t i : point) number = number * 100 + i;
  return Value::integer(number);
}

Mda labelled(std::vector<Set> sets, int components = 2) {
  return make_mda(std::move(sets), components, [](auto point, auto cells) {
    for (size_t c = 0; c < cells.size(); ++c) cells[c] = label(point, c);
  });
}

/// Deals {0, ..., n - 1} into `parts` sets.
std::vector<Set> dealt(Random& random, int64_t n, int parts) {
  std::vector<Set> sets(static_cast<size_t>(parts));
  for (int64_t i = 0; i < n; ++i) {
    sets[static_cast<size_t>(random.between(0, parts - 1))].push_back(i);
  }
  return sets;
}

TEST(Mda, points_are_visited_in_row_major_order) {
  std::vector<Set> visited;
  make_mda({{1, 4}, {0, 7, 9}}, 1,
           [&](auto point, auto) { visited.emplace_back(point.begin(), point.end()); });
  EXPECT_EQ(visited, (std::vector<Set>{{1, 0}, {1, 7}, {1, 9}, {4, 0}, {4, 7}, {4, 9}}));
}

TEST(Mda, without_dimensions_has_one_point) {
  const Mda a = labelled({});
  EXPECT_EQ(a.cells.size(), 2u);
  EXPECT_FALSE(a.empty());
}

TEST(Mda, with_an_empty_set_has_none) {
  const Mda a = labelled({{1, 2}, {}});
  EXPECT_TRUE(a.empty());
  EXPECT_TRUE(a.cells.empty());
}

TEST(Mda, cells_are_found_by_index_not_by_position) {
  const Mda a = labelled({{1, 4}, {0, 7, 9}});
  const Set point = {4, 7};
  const auto cells = cells_at(a, point);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].as_integer(), 407);
  EXPECT_EQ(cells[1].as_integer(), 10407);
}

TEST(Mda, index_outside_of_the_sets_is_a_bug) {
  const Mda a = labelled({{1, 4}, {0, 7, 9}});
  for (const Set& point : {Set{2, 7}, Set{4, 8}, Set{5, 0}}) {
    EXPECT_EQ(diagnostic_of([&] { cells_at(a, point); }).kind, DiagnosticKind::internal);
  }
}

TEST(Restriction, keeps_the_original_indices) {
  const Mda a = labelled({{1, 4}, {0, 7, 9}});
  EXPECT_EQ(restricted(a, 1, {0, 9}), labelled({{1, 4}, {0, 9}}));
  EXPECT_EQ(restricted(a, 0, {4}), labelled({{4}, {0, 7, 9}}));
  EXPECT_TRUE(restricted(a, 0, {}).empty());
}

TEST(Concatenation, puts_interleaved_parts_where_they_belong) {
  const Mda left = labelled({{0, 2, 5}, {0, 1}}), right = labelled({{1, 9}, {0, 1}});
  EXPECT_EQ(concatenated(left, right, 0), labelled({{0, 1, 2, 5, 9}, {0, 1}}));
}

TEST(Concatenation, is_commutative_and_associative_on_interleaved_sets) {
  Random random(41);
  for (int n = 0; n < 100; ++n) {
    const int d = static_cast<int>(random.between(0, 2));
    std::vector<Mda> parts;
    for (const Set& set : dealt(random, 6, 3)) {
      std::vector<Set> sets = {{0, 1}, {3}, {2, 5}};
      sets[static_cast<size_t>(d)] = set;
      parts.push_back(labelled(sets));
    }
    const Mda &a = parts[0], &b = parts[1], &c = parts[2];
    EXPECT_EQ(concatenated(a, b, d), concatenated(b, a, d));
    EXPECT_EQ(concatenated(concatenated(a, b, d), c, d), concatenated(a, concatenated(b, c, d), d));
  }
}

TEST(Concatenation, empty_part_is_neutral) {
  const Mda a = labelled({{0, 2}, {1}}), none = labelled({{}, {1}});
  EXPECT_EQ(concatenated(a, none, 0), a);
  EXPECT_EQ(concatenated(none, a, 0), a);
}

TEST(Concatenation, of_overlapping_or_unequal_parts_is_a_bug) {
  const auto kind = [](const Mda& a, const Mda& b) {
    return diagnostic_of([&] { concatenated(a, b, 0); }).kind;
  };
  const Mda a = labelled({{0, 2}, {0, 1}});
  EXPECT_EQ(diagnostic_of([&] {
              concatenated(a, labelled({{2, 3}, {0, 1}}), 0);
            }).message.find("concatenated parts overlap"),
            0u);
  EXPECT_EQ(diagnostic_of([&] {
              concatenated(a, labelled({{3}, {0, 2}}), 0);
            }).message.find("index sets differ outside of the combined dimension"),
            0u);
  EXPECT_EQ(kind(a, a), DiagnosticKind::internal);
}

TEST(Split, is_the_inverse_of_concatenation) {
  Random random(42);
  for (int n = 0; n < 100; ++n) {
    const int d = static_cast<int>(random.between(0, 1));
    const Mda whole = labelled({{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}});
    const std::vector<Set> parts = dealt(random, 5, 2);
    const auto [first, second] = split(whole, d, parts[0], parts[1]);
    EXPECT_EQ(concatenated(first, second, d), whole);
    EXPECT_EQ(first.sets[static_cast<size_t>(d)], parts[0]);
    EXPECT_EQ(second.sets[static_cast<size_t>(d)], parts[1]);
    const auto again = split(concatenated(second, first, d), d, parts[0], parts[1]);
    EXPECT_EQ(again.first, first);
    EXPECT_EQ(again.second, second);
  }
}

scalar::ScalarAlgebra sums_and_products() {
  return algebra_of(parse(R"(mdh 1
program p = out_view( s: i64 = []; q: i64 = [] ) * md_hom( k: 2 by pw(add, mul) ) { s = a; q = a; }
* inp_view( a: i64 = [k] ))"));
}

TEST(PointwiseCombination, combines_cells_of_equal_points) {
  scalar::ScalarAlgebra algebra = sums_and_products();
  const auto made = [](int64_t s, int64_t p) {
    return make_mda({{0, 3}, {0}}, 2, [=](auto point, auto cells) {
      cells[0] = Value::integer(s + point[0]);
      cells[1] = Value::integer(p + point[0]);
    });
  };
  const Mda c = combined(made(10, 20), made(1, 2), algebra);
  EXPECT_EQ(c.sets, (std::vector<Set>{{0, 3}, {0}}));
  std::vector<int64_t> values;
  for (const Value v : c.cells) values.push_back(v.as_integer());
  // At 0: 10 + 1, 20 * 2; at 3: 13 + 4, 23 * 5.
  EXPECT_EQ(values, (Set{11, 40, 17, 115}));
}

TEST(PointwiseCombination, of_different_sets_is_a_bug) {
  scalar::ScalarAlgebra algebra = sums_and_products();
  EXPECT_EQ(diagnostic_of([&] {
              combined(labelled({{0}, {1}}), labelled({{0}, {2}}), algebra);
            }).kind,
            DiagnosticKind::internal);
}

}  // namespace
}  // namespace mdh::hl::mda_test
