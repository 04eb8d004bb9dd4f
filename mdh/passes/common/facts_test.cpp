#include "mdh/passes/common/facts.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::facts_test {
namespace {

/// A condition as in a loop program.
loop::Expr condition(const std::string& text) {
  const loop::Program p = matvec_with("loop p { loop o { loop n { loop q { if " + text +
                                      " { loop r { let z = 0; } } } } } }");
  const loop::Stmt* s = &p.body.back();
  for (const loop::Loop* loop = s->as<loop::Loop>(); loop; loop = s->as<loop::Loop>()) {
    s = &loop->body.back();
  }
  return s->as<loop::If>()->condition;
}

bool imply(const Facts& facts, const std::string& text) { return facts.imply(condition(text)); }

Facts with_ranges() {
  Facts facts;
  facts.set_range(loop::named("p"), 6);
  facts.set_range(loop::named("q"), 9);
  return facts;
}

TEST(Facts, ranges_bound_sums) {
  const Facts facts = with_ranges();
  EXPECT_TRUE(imply(facts, "p * 2 + q < 22"));
  EXPECT_FALSE(imply(facts, "p * 2 + q < 21"));
  EXPECT_TRUE(imply(facts, "p * 2 + q <= 21"));
  EXPECT_TRUE(imply(facts, "6 >= p"));
  EXPECT_FALSE(imply(facts, "6 > p"));
  EXPECT_TRUE(imply(facts, "0 - p <= 0")) << "counters begin at 0";
  EXPECT_FALSE(imply(facts, "o < 5")) << "nothing is known of o";
}

TEST(Facts, a_maximum_is_below_what_both_sides_are_below) {
  Facts facts = with_ranges();
  const loop::Expr below = condition("o <= max(0, p - 2)");
  facts.define(loop::named("n"), below.as<scalar::Binary>()->right);
  EXPECT_TRUE(imply(facts, "p >= n"));
  EXPECT_TRUE(imply(facts, "n <= 4"));
  EXPECT_FALSE(imply(facts, "n <= 3"));
  EXPECT_FALSE(imply(facts, "p > n")) << "both may be 0";
  EXPECT_FALSE(imply(facts, "n >= 0")) << "asked for from below";
}

TEST(Facts, all_parts_of_a_condition_must_hold) {
  const Facts facts = with_ranges();
  EXPECT_TRUE(imply(facts, "p < 7 && q < 10"));
  EXPECT_FALSE(imply(facts, "p < 7 && q < 9"));
}

TEST(Facts, what_is_assumed_holds_and_what_follows) {
  Facts facts = with_ranges();
  facts.assume(condition("o * 4 + p < 30"));
  EXPECT_TRUE(imply(facts, "o * 4 + p < 30"));
  EXPECT_TRUE(imply(facts, "o * 4 < 30")) << "p is not below 0";
  EXPECT_FALSE(imply(facts, "o * 4 + p < 29"));
  EXPECT_FALSE(imply(facts, "o * 4 + p + q < 30"));
  EXPECT_TRUE(imply(facts, "o * 4 + p + q < 39"));
}

TEST(Facts, a_counter_is_below_its_trip_count) {
  Facts facts = with_ranges();
  facts.assume_below(loop::named("o"),
                     condition("min(5, 30 - p * 5) > 0").as<scalar::Binary>()->left);
  EXPECT_TRUE(imply(facts, "p * 5 + o < 30"));
  EXPECT_TRUE(imply(facts, "o < 5"));
  EXPECT_FALSE(imply(facts, "o < 4"));
  EXPECT_FALSE(imply(facts, "p * 5 + o < 29"));
}

TEST(Facts, a_counter_of_parts_is_worth_its_step) {
  Facts facts = with_ranges();
  facts.assume_below(loop::named("o"),
                     condition("(30 - p * 4 + 2) / 3 > 0").as<scalar::Binary>()->left);
  EXPECT_TRUE(imply(facts, "p * 4 + o * 3 < 30"));
  EXPECT_FALSE(imply(facts, "p * 4 + o * 3 < 29"));
  EXPECT_FALSE(imply(facts, "p * 4 + o * 3 + 1 < 30")) << "the part may have one point";
}

TEST(Facts, multiples_are_as_far_apart_as_they_are) {
  Facts facts = with_ranges();
  facts.assume_below(loop::named("o"),
                     condition("(32 - p * 8 + 3) / 4 > 0").as<scalar::Binary>()->left);
  EXPECT_TRUE(imply(facts, "p * 8 + o * 4 + 3 < 32")) << "parts of 4 fill 32 without a rest";
  EXPECT_FALSE(imply(facts, "p * 8 + o * 4 + 4 < 32"));
  facts.assume_below(loop::named("n"),
                     condition("(30 - p * 8 + 3) / 4 > 0").as<scalar::Binary>()->left);
  EXPECT_FALSE(imply(facts, "p * 8 + n * 4 + 3 < 30")) << "the last part has two points";
}

TEST(Facts, above_a_minimum_is_not_above_both) {
  Facts facts = with_ranges();
  EXPECT_TRUE(imply(facts, "min(3, 10 - q) > 0")) << "10 - 9 is above 0, and so is 3";
  EXPECT_FALSE(imply(facts, "min(3, 9 - q) > 0"));
  facts.assume(condition("min(o, n) < 2"));
  EXPECT_FALSE(imply(facts, "o < 2")) << "perhaps it is n";
}

TEST(Facts, a_quotient_that_may_be_negative_is_not_understood) {
  Facts facts;
  facts.assume(condition("n - 1 < (o - 4) / 2"));
  EXPECT_FALSE(imply(facts, "n * 2 <= o - 4")) << "n = 0, o = 3: -1 < 0, rounded towards zero";
}

TEST(Facts, below_a_quotient_is_shown_by_its_multiple) {
  Facts facts;
  facts.set_range(loop::named("n"), 7);
  EXPECT_TRUE(imply(facts, "2 <= (40 - n * 4) / 6")) << "40 - 28 is 12";
  EXPECT_FALSE(imply(facts, "2 <= (39 - n * 4) / 6")) << "39 - 28 is 11";
  EXPECT_TRUE(imply(facts, "1 < (40 - n * 4) / 6"));
  EXPECT_FALSE(imply(facts, "2 < (40 - n * 4) / 6"));
  EXPECT_FALSE(imply(facts, "n - 8 < (n - 8) / 2")) << "n = 7: -1 < 0, but nobody multiplies by -1";
  EXPECT_FALSE(imply(facts, "0 <= n / n")) << "no number to multiply with";
}

TEST(Facts, open_part_is_what_is_left) {
  const Facts facts = with_ranges();
  EXPECT_EQ(facts.open_part(condition("p < 7 && o < 3 && q < 10")), condition("o < 3"));
  EXPECT_FALSE(facts.open_part(condition("p < 7 && q < 10")));
}

}  // namespace
}  // namespace mdh::passes::facts_test
