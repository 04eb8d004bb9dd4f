#include "mdh/passes/structured/share_out.h"

#include <gtest/gtest.h>

#include <set>

#include "mdh/loop/index_value.h"
#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::share_out_test {
namespace {

using loop::Digit;

Digit digit(const std::string& name, int64_t parts) {
  return {.var = loop::named(name), .level = "THR.i", .parts = parts};
}

/// A statement that tells the value of every digit.
loop::Block told(const Digits& digits) {
  std::vector<loop::Expr> index;
  for (const Digit& d : digits) index.push_back(loop::index_variable(d.var));
  return {loop::StmtNode{loop::Load{loop::named("a"), {loop::named("x"), index}}}};
}

/// What a member does, for all values of its counters.
std::vector<std::vector<int64_t>> done_by(const ShareOut& shares, const Digits& digits,
                                          int64_t member) {
  std::vector<std::vector<int64_t>> points;
  for (int64_t n = 0; n < loop::volume_of(shares.counters()); ++n) {
    loop::IndexValues values = {{"m", member}};
    int64_t rest = n;
    for (auto c = shares.counters().rbegin(); c != shares.counters().rend(); ++c) {
      values[c->var.name] = rest % c->count;
      rest /= c->count;
    }
    loop::Block block = shares.of_member(told(digits));
    const auto* choice = block.front().as<loop::If>();
    if (choice && loop::index_value(choice->condition, values) == 0) continue;
    if (choice) block = loop::Block(choice->then);
    std::vector<int64_t> point;
    for (const loop::Expr& e : block.front().as<loop::Load>()->from.index) {
      point.push_back(loop::index_value(e, values));
    }
    points.push_back(point);
  }
  return points;
}

/// The most that one member does.
int64_t expect_all_once(const std::vector<int64_t>& parts, int64_t members) {
  Digits digits;
  for (const int64_t n : parts) digits.push_back(digit(fmt::format("d{}", digits.size()), n));
  Names names(matvec_with(""));
  const ShareOut shares(digits, digit("m", members), names);
  std::set<std::vector<int64_t>> all;
  size_t count = 0, most = 0;
  for (int64_t m = 0; m < members; ++m) {
    const auto points = done_by(shares, digits, m);
    all.insert(points.begin(), points.end());
    count += points.size();
    most = std::max(most, points.size());
  }
  EXPECT_EQ(count, all.size());
  EXPECT_EQ(static_cast<int64_t>(all.size()), loop::volume_of(counters(digits)));
  return static_cast<int64_t>(most);
}

TEST(ShareOut, every_combination_has_one_member) {
  for (const int64_t members : {2, 3, 4, 5, 7, 8}) {
    for (const std::vector<int64_t>& parts : std::vector<std::vector<int64_t>>{
             {1}, {2}, {3}, {8}, {11}, {2, 3}, {4, 2}, {5, 7}, {2, 2, 2}, {6, 1, 4}, {1, 1, 3}}) {
      SCOPED_TRACE(fmt::format("{} for {}", fmt::join(parts, " "), members));
      expect_all_once(parts, members);
    }
  }
}

TEST(ShareOut, members_have_as_much_as_others_where_that_is_possible) {
  EXPECT_EQ(expect_all_once({4, 8}, 2), 16);
  EXPECT_EQ(expect_all_once({3, 8}, 8), 3);
  EXPECT_EQ(expect_all_once({2, 2, 2}, 8), 1);
  EXPECT_EQ(expect_all_once({2, 4, 3}, 4), 6);
  EXPECT_EQ(expect_all_once({7, 16}, 8), 16) << "in one piece, and 7 of 8 members have some";
  EXPECT_EQ(expect_all_once({5}, 4), 2);
}

TEST(ShareOut, one_member_does_what_there_is_one_of) {
  Names names(matvec_with(""));
  const ShareOut shares({}, digit("m", 4), names);
  EXPECT_TRUE(shares.counters().empty());
  EXPECT_EQ(done_by(shares, {}, 0).size(), 1u);
  EXPECT_EQ(done_by(shares, {}, 1).size(), 0u);
}

}  // namespace
}  // namespace mdh::passes::share_out_test
