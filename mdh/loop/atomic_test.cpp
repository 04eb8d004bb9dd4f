// Buffers that members of a grid combine into.
#include <gtest/gtest.h>

#include <algorithm>

#include "mdh/loop/print.h"
#include "mdh/loop/test_runs.h"

namespace mdh::loop::atomic_test {
namespace {

/// Why a program is no program.
std::string refused(const std::string& body, const More& more) {
  const std::string text = diagnostic_of([&] { parse(rows_text(body, more)); }).message;
  const std::string begin = "not a well-formed loop program: ";
  if (!text.starts_with(begin)) return text;
  return text.substr(begin.size(), text.rfind(" (") - begin.size());
}

const More blocks{
    "digit g: BLK.i < 3 of i step 1 grid\n"
    "digit b: BLK.k < 4 of k step 1 grid\n",
    "buffer temporary all: i64[3] in DM of all per () atomic\n"
    "buffer temporary more: i64[3] in DM of all per () atomic\n"};

const std::string begin = "alloc all; alloc more; deal grid (g < 3, b < 4) { ";
const std::string put = "deal cores () { load v = x[g, b]; atomic_combine (all[g]) from (v); } ";
const std::string take =
    "last b { deal cores () { atomic_take (s) from (all[g]); store y[g] = s; } } }";

/// The digits of a number, sorted: ⊕ writes its operands one behind the other.
std::string digits_of_sum(int64_t sum) {
  std::string digits = std::to_string(sum);
  std::sort(digits.begin(), digits.end());
  return digits;
}

TEST(LoopAtomic, members_come_in_any_order) {
  std::set<int64_t> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<int64_t> sums = result(begin + put + take, blocks, seed);
    EXPECT_EQ(digits_of_sum(sums[0]), "1234");
    EXPECT_EQ(digits_of_sum(sums[1]), "5678");
    EXPECT_EQ(digits_of_sum(sums[2]), "2468");
    orders.insert(sums[0]);
  }
  EXPECT_GT(orders.size(), 5);
}

/// The second round begins with what the first one has left: nothing.
TEST(LoopAtomic, what_is_taken_is_empty_again) {
  const std::string twice =
      "for - n < 2 sequential { " + begin.substr(begin.find("deal")) + put + take + " }";
  const More all{blocks.digits, "buffer temporary all: i64[3] in DM of all per () atomic\n"};
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<int64_t> sums = result("alloc all; " + twice, all, seed);
    EXPECT_EQ(digits_of_sum(sums[0]), "1234");
  }
}

TEST(LoopAtomic, everything_is_taken) {
  const std::string some =
      "last b { deal cores () { if g < 2 { atomic_take (s) from (all[g]); store y[g] = s; } } } }";
  EXPECT_EQ(complaint(begin + put + some, blocks), "'all' is left with what nobody takes");
}

TEST(LoopAtomic, nothing_is_taken_where_nobody_came) {
  const std::string told =
      internal_error_of([&] { result(begin + "deal cores () { } " + take, blocks); });
  EXPECT_NE(told.find("of 'all' is read before it is written"), std::string::npos) << told;
}

TEST(LoopAtomic, is_printed_and_read) {
  const Program p = rows_with(begin + put + take, blocks);
  const std::string text = print(p);
  EXPECT_NE(text.find("buffer temporary all: i64[3] in DM of all per () atomic\n"),
            std::string::npos);
  EXPECT_NE(text.find("atomic_combine (all[g]) from (v);"), std::string::npos);
  EXPECT_NE(text.find("atomic_take (s) from (all[g]);"), std::string::npos);
  EXPECT_EQ(parse(text), p);
}

TEST(LoopAtomic, only_combinations_and_takes_use_it) {
  const auto with = [](const std::string& statement) {
    return refused(begin + "deal cores () { load v = x[g, b]; " + statement + " } " + take, blocks);
  };
  EXPECT_EQ(with("atomic_combine (all[g]) from (v);"), fine);
  EXPECT_EQ(with("store all[g] = v;"), "'all' is used as if nobody combined into it");
  EXPECT_EQ(with("load w = all[g];"), "'all' is used as if nobody combined into it");
  EXPECT_EQ(with("atomic_combine (y[g]) from (v);"), "'y' is combined into, but not atomic");
  EXPECT_EQ(with("atomic_combine (all[g], more[g]) from (v, v);"),
            "one element is combined for each result of f");
  EXPECT_EQ(with("atomic_take (w) from (all[g]);"),
            "'all' is taken while others may combine into it");
}

TEST(LoopAtomic, combinations_are_dealt) {
  EXPECT_EQ(refused(begin + "load v = x[g, b]; atomic_combine (all[g]) from (v); " + take, blocks),
            "a combination of members of a grid outside of Deal");
}

TEST(LoopAtomic, all_members_see_it) {
  EXPECT_EQ(refused("", {"", "buffer temporary all: i64[3] in SM of group per () atomic\n"}),
            "members of a grid combine into 'all', which not all of them see");
}

}  // namespace
}  // namespace mdh::loop::atomic_test
