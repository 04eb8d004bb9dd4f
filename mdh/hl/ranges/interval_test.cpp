#include "mdh/hl/ranges/interval.h"

#include <gtest/gtest.h>

#include "mdh/hl/parse.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::hl::interval_test {
namespace {

using Wide = __int128;

/// What a plain evaluation says: a value, or why there is none.
struct Exact {
  Wide value = 0;
  Trouble trouble = Trouble::none;
};

/// An expression on i and j as text, and as a function that does not know of intervals.
struct Term {
  std::string text;
  std::function<Exact(int64_t, int64_t)> at;
};

Exact checked(Wide value) {
  const bool fits = value >= INT64_MIN && value <= INT64_MAX;
  return {fits ? value : 0, fits ? Trouble::none : Trouble::overflow};
}

Exact combined(const std::string& op, Wide a, Wide b) {
  if (op == "+") return checked(a + b);
  if (op == "-") return checked(a - b);
  if (op == "*") return checked(a * b);
  if (op == "min") return {std::min(a, b)};
  if (op == "max") return {std::max(a, b)};
  if (op == "&") return {a & b};
  if (op == "|") return {a | b};
  if (op == "^") return {a ^ b};
  if (b == 0) return {0, Trouble::zero_divisor};
  return op == "/" ? checked(a / b) : Exact{a % b};
}

Term leaf(Random& random) {
  switch (random.between(0, 3)) {
    case 0:
      return {"i", [](int64_t i, int64_t) { return Exact{i}; }};
    case 1:
      return {"j", [](int64_t, int64_t j) { return Exact{j}; }};
    default: {
      const int64_t n = random.chance(10) ? int64_t{1} << 61 : random.between(0, 8);
      return {std::to_string(n), [n](int64_t, int64_t) { return Exact{n}; }};
    }
  }
}

Term random_term(Random& random, int depth);

Term choice(Random& random, int depth) {
  const Term a = random_term(random, depth - 1), b = random_term(random, depth - 1),
             c = random_term(random, depth - 1), d = random_term(random, depth - 1);
  return {fmt::format("(if {} < {} then {} else {})", a.text, b.text, c.text, d.text),
          [=](int64_t i, int64_t j) {
            const Exact left = a.at(i, j);
            if (left.trouble != Trouble::none) return left;
            const Exact right = b.at(i, j);
            if (right.trouble != Trouble::none) return right;
            return left.value < right.value ? c.at(i, j) : d.at(i, j);
          }};
}

Term random_term(Random& random, int depth) {
  if (depth == 0 || random.between(0, 4) == 0) return leaf(random);
  if (random.between(0, 5) == 0) return choice(random, depth);
  static const std::vector<std::string> ops = {"+", "-",   "*",   "/", "%", "+", "-",
                                               "*", "min", "max", "&", "|", "^"};
  const std::string op = ops[random.between(0, static_cast<int64_t>(ops.size()) - 1)];
  const Term a = random_term(random, depth - 1), b = random_term(random, depth - 1);
  const std::string text = op.size() == 3 ? fmt::format("{}({}, {})", op, a.text, b.text)
                                          : fmt::format("({} {} {})", a.text, op, b.text);
  return {text, [=](int64_t i, int64_t j) {
            const Exact left = a.at(i, j);
            if (left.trouble != Trouble::none) return left;
            const Exact right = b.at(i, j);
            return right.trouble != Trouble::none ? right : combined(op, left.value, right.value);
          }};
}

/// A program is not verified before it is complete, so the text is read as a part of f, where
/// anything goes.
std::pair<Program, Expr> read(const std::string& text) {
  Program p = parse(
      "mdh 1 program p = out_view( y: i64 = [i, j] ) * md_hom( i: 99 by cc, j: 99 by "
      "cc ) { y = " +
      text + "; } * inp_view( )");
  const Expr e = p.body.front().value;
  return {std::move(p), e};
}

TEST(Interval, is_exact_on_points_and_holds_all_values_on_boxes) {
  Random random(7);
  int troubles = 0, calm = 0;
  for (int round = 0; round < 1500; ++round) {
    const Term term = random_term(random, 4);
    const auto [p, e] = read(term.text);
    const auto f = IntervalFunction::of(p, e);
    ASSERT_TRUE(f.has_value()) << term.text;
    const int64_t start_i = random.between(0, 4), start_j = random.between(0, 4);
    const Range box[] = {{start_i, start_i + 4}, {start_j, start_j + 3}};
    const Interval all = (*f)(box);
    for (int64_t i = box[0].least; i <= box[0].greatest; ++i) {
      for (int64_t j = box[1].least; j <= box[1].greatest; ++j) {
        const Range point[] = {{i, i}, {j, j}};
        const Interval here = (*f)(point);
        const Exact exact = term.at(i, j);
        ASSERT_EQ(static_cast<int>(here.trouble), static_cast<int>(exact.trouble))
            << term.text << " at " << i << ", " << j;
        if (exact.trouble != Trouble::none) {
          ++troubles;
          ASSERT_NE(static_cast<int>(all.trouble), 0) << term.text;
          continue;
        }
        ++calm;
        ASSERT_EQ(here.least, static_cast<int64_t>(exact.value))
            << term.text << " at " << i << ", " << j;
        ASSERT_EQ(here.greatest, here.least) << term.text;
        if (all.trouble != Trouble::none) continue;
        ASSERT_LE(all.least, here.least) << term.text;
        ASSERT_GE(all.greatest, here.greatest) << term.text;
      }
    }
  }
  EXPECT_GT(troubles, 1000) << "both kinds were drawn";
  EXPECT_GT(calm, 10000);
}

TEST(Interval, of_the_least_number_divided_by_minus_one_is_trouble) {
  for (const char* op : {"/", "%"}) {
    const auto [p, e] = read(fmt::format("(0 - 9223372036854775807 - i) {} (0 - j)", op));
    const auto f = IntervalFunction::of(p, e);
    ASSERT_TRUE(f.has_value());
    const Range fine[] = {{0, 0}, {1, 1}}, wrong[] = {{1, 1}, {1, 1}}, zero[] = {{0, 0}, {0, 0}};
    EXPECT_EQ((*f)(fine).trouble, Trouble::none);
    EXPECT_EQ((*f)(wrong).trouble, Trouble::overflow);
    EXPECT_EQ((*f)(zero).trouble, Trouble::zero_divisor);
  }
}

TEST(Interval, tells_which_dimensions_are_mentioned) {
  const auto [p, e] = read("j * j + 1");
  EXPECT_EQ(IntervalFunction::of(p, e).value().mentioned(), (std::vector<bool>{false, true}));
}

TEST(Interval, floats_and_loops_are_left_to_the_interpreter) {
  for (const char* text : {"i64(sqrt(f64(i)))", "i64(u64(i) * 3)",
                           "(loop (k = 0) while (k < i) { k = k + 1 } yield k)"}) {
    const auto [p, e] = read(text);
    EXPECT_FALSE(IntervalFunction::of(p, e).has_value()) << text;
  }
}

}  // namespace
}  // namespace mdh::hl::interval_test
