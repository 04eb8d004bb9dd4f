#include "mdh/scalar/rounds.h"

#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"

namespace mdh::scalar::rounds_test {
namespace {

/// Of a loop over a counter k and a number s.
std::optional<LoopRounds> rounds(const std::string& begin, const std::string& condition,
                                 const std::string& update) {
  Scope scope;
  scope.declare("x", Scalar::f32, "value", {});
  const std::string text = "loop (k = " + begin + ", s = x) while (" + condition +
                           ") { s = s * x, k = " + update + " } yield s";
  const Expr e = elaborate(resolve(parse_expression(text), scope), Scalar::f32);
  return rounds_of(*e.as<Loop>());
}

double most(const std::string& begin, const std::string& condition, const std::string& update) {
  const auto found = rounds(begin, condition, update);
  return found ? found->most : -1;
}

TEST(Rounds, are_known_however_the_loop_is_written) {
  EXPECT_EQ(most("0", "k < 1000", "k + 1"), 1000);
  EXPECT_EQ(most("1", "k <= 9", "k + 4"), 3);
  EXPECT_EQ(most("0", "1000 > k", "k + 1"), 1000);
  EXPECT_EQ(most("0", "999 >= k", "1 + k"), 1000);
  EXPECT_EQ(most("0", "k != 1000", "k + 1"), 1000);
  EXPECT_EQ(most("1000", "k > 0", "k - 1"), 1000);
  EXPECT_EQ(most("1000", "1 <= k", "k - 3"), 334);
  EXPECT_EQ(most("i32(0)", "k < 7", "k + 2"), 4);
  EXPECT_EQ(most("9", "k < 0", "k + 1"), 0);
  EXPECT_GT(most("0", "k <= 9223372036854775807", "k + 1"), 9e18);
}

TEST(Rounds, are_unknown_where_nothing_says_them) {
  EXPECT_FALSE(rounds("0", "s < 4.0", "k + 1"));
  EXPECT_FALSE(rounds("0", "k < 9", "k * 2"));
  EXPECT_FALSE(rounds("0", "k < 9 || s < 4.0", "k + 1"));
  EXPECT_FALSE(rounds("0", "k < 9", "1 - k"));
  EXPECT_FALSE(rounds("0", "k < 9", "k - 1")) << "only an overflow ends it";
  EXPECT_FALSE(rounds("0", "k != 9", "k + 2"));
  EXPECT_FALSE(rounds("0", "k == 0", "k + 1"));
  EXPECT_FALSE(rounds("i64(x)", "k < 9", "k + 1"));
}

TEST(Rounds, may_be_fewer_where_something_else_is_asked) {
  EXPECT_FALSE(rounds("0", "k < 9", "k + 1")->may_end_early);
  EXPECT_TRUE(rounds("0", "s < 4.0 && k < 9", "k + 1")->may_end_early);
  EXPECT_EQ(most("0", "s < 4.0 && k < 9 && k < 7", "k + 1"), 7);
}

}  // namespace
}  // namespace mdh::scalar::rounds_test
