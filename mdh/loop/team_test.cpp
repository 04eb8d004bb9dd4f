// Statements in which cores of a warp, or members of a grid, meet.
#include <gtest/gtest.h>

#include <set>

#include "mdh/loop/print.h"
#include "mdh/loop/test_runs.h"

namespace mdh::loop::team_test {
namespace {

/// Why a program is no program.
std::string refused(const std::string& body, const More& more) {
  const std::string text = diagnostic_of([&] { parse(rows_text(body, more)); }).message;
  const std::string begin = "not a well-formed loop program: ";
  if (!text.starts_with(begin)) return text;
  return text.substr(begin.size(), text.rfind(" (") - begin.size());
}

const More threads{
    "digit g: BLK.i < 3 of i step 1 grid\n"
    "digit h: THR.k < 4 of k step 1 cores\nwarp 32\n",
    "buffer temporary mine: i64[] in RM of registers per (g, h)\n"
    "buffer temporary got: i64[] in RM of registers per (g, h)\n"
    "buffer temporary sums: i64[4] in SM of group per (g)\n"
    "buffer temporary other: i32[] in RM of registers per (g, h)\n"};

const std::string begin = "deal grid (g < 3) { alloc mine; alloc got; alloc sums; alloc other; ";
const std::string fill = "deal cores (h < 4) { load v = x[g, h]; store mine[] = v; } ";

std::string exchange(const std::string& by) {
  return "exchange (h < 4) over h by " + by + " got[] = mine[]; ";
}

/// Who has an even number of parts before it, and a part behind it, combines both.
std::string meet(const std::string& who, const std::string& n) {
  return "deal cores (h < 4) { if " + who + " { load r" + n + " = got[]; load l" + n +
         " = mine[]; combine b" + n + " = (l" + n + "; r" + n + "); store mine[] = b" + n +
         "; } } ";
}

const std::string end = "deal cores (h < 4) { if h == 0 { load w = mine[]; store y[g] = w; } } }";

TEST(LoopExchange, hands_over_what_is_private) {
  // ⊕ is 10 l + r: (1 2) (3 4) -> 10 * 12 + 34.
  const std::string body = begin + fill + exchange("1") + meet("h % 2 == 0", "1") + exchange("2") +
                           meet("h == 0", "2") + end;
  EXPECT_EQ(result(body, threads), (std::vector<int64_t>{154, 638, 308}));
}

TEST(LoopExchange, everybody_shows_before_anybody_takes) {
  const std::string chain = "exchange (h < 4) over h by 1 mine[] = mine[]; ";
  EXPECT_EQ(result(begin + fill + chain + end, threads), (std::vector<int64_t>{2, 6, 4}));
}

TEST(LoopExchange, nobody_knows_what_comes_from_beyond_the_end) {
  const std::string last = "deal cores (h < 4) { if h == 3 { load w = got[]; store y[g] = w; } } }";
  EXPECT_EQ(complaint(begin + fill + exchange("1") + last, threads),
            "element 0 of 'got' is read before it is written");
}

TEST(LoopExchange, shows_what_its_own_core_has_written) {
  const std::string others = "deal cores (c < 4) { load v = x[g, c]; store sums[c] = v; } ";
  EXPECT_EQ(complaint(begin + others + exchange("1") + end, threads),
            "element 0 of 'mine' is read before it is written");
}

TEST(LoopExchange, is_printed_and_read) {
  const Program p = rows_with(begin + fill + exchange("2") + end, threads);
  EXPECT_NE(print(p).find("exchange (h < 4) over h by 2 got[] = mine[];"), std::string::npos);
  EXPECT_EQ(parse(print(p)), p);
}

TEST(LoopExchange, needs_a_warp_and_private_memory) {
  const auto why = [](const std::string& statement, const More& more) {
    return refused(begin + fill + statement + "; }", more);
  };
  More single = threads;
  single.digits.replace(single.digits.find("warp 32"), 7, "warp 1");
  EXPECT_EQ(why("exchange (h < 4) over h by 1 got[] = mine[]", threads), fine);
  EXPECT_EQ(why("exchange (h < 4) over h by 1 got[] = mine[]", single),
            "an exchange in warps that do not exist");
  EXPECT_EQ(why("exchange (h < 4) over h by 4 got[] = mine[]", threads),
            "an exchange over 'h' by 4");
  EXPECT_EQ(why("exchange (h < 4) over g by 1 got[] = mine[]", threads),
            "an exchange over 'g', which is none of its shares");
  EXPECT_EQ(why("exchange (h < 4, c < 16) over h by 1 got[] = mine[]", threads),
            "an exchange over 'h', whose parts are in several warps");
  EXPECT_EQ(why("exchange (c < 3, h < 4) over h by 1 got[] = mine[]", threads),
            "an exchange of 'got', of which there is not one for each 'c'");
  EXPECT_EQ(why("exchange (h < 4) over h by 1 sums[0] = mine[]", threads),
            "an exchange of 'sums', which is not private");
  EXPECT_EQ(why("exchange (h < 4) over h by 1 other[] = mine[]", threads),
            "'other' is taken from another type");
  EXPECT_EQ(refused("alloc mine; alloc got; exchange (h < 4) over h by 1 got[] = mine[];", threads),
            "an exchange that not all cores of a group do");
}

TEST(LoopExchange, also_takes_from_who_is_before) {
  const std::string behind =
      "deal cores (h < 4) { if h == 3 { load w = got[]; store y[g] = w; } } }";
  EXPECT_EQ(result(begin + fill + exchange("-1") + behind, threads),
            (std::vector<int64_t>{3, 7, 6}));
  const Program p = rows_with(begin + fill + exchange("-2") + end, threads);
  EXPECT_EQ(parse(print(p)), p);
  EXPECT_EQ(refused(begin + fill + exchange("-4") + "}", threads), "an exchange over 'h' by -4");
  EXPECT_EQ(refused(begin + fill + exchange("0") + "}", threads), "an exchange over 'h' by 0");
}

// ---- the last one

const More blocks{
    "digit g: BLK.i < 3 of i step 1 grid\n"
    "digit b: BLK.k < 4 of k step 1 grid\n",
    "buffer temporary part: i64[4] in DM of all per (g)\n"};

const std::string parts =
    "alloc part; deal grid (g < 3, b < 4) { deal cores () { load v = x[g, b]; store part[b] = v; "
    "} ";

std::string last(const std::string& body) { return "last b { deal cores () {" + body + "} } }"; }

TEST(LoopLast, combines_what_all_others_have_done) {
  const std::string fold =
      "load a = part[0]; store y[g] = a;"
      "for - n < 4 sequential from 1 { load l = y[g]; load r = part[n]; combine s = (l; r);"
      " store y[g] = s; }";
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(result(parts + last(fold), blocks, seed), (std::vector<int64_t>{1234, 5678, 2468}));
  }
}

TEST(LoopLast, groups_are_told_by_shares_and_nothing_else) {
  const std::string own = "let n = b; ";
  const std::string body = "alloc part; deal grid (g < 3, b < 4) { " + own +
                           "deal cores () { load v = x[g, b]; store part[b] = v; } ";
  EXPECT_EQ(result(body + last("load a = part[0]; store y[g] = a;"), blocks),
            (std::vector<int64_t>{1, 5, 2}));
}

TEST(LoopLast, knows_nothing_of_other_groups) {
  const std::string other = "if g == 0 { load a = part[0]; store y[0] = a; }";
  EXPECT_EQ(complaint(parts + last(other), blocks), fine);
  const More one{blocks.digits, "buffer temporary part: i64[3, 4] in DM of all per ()\n"};
  const std::string rows =
      "alloc part; deal grid (g < 3, b < 4) { deal cores () { load v = x[g, b];"
      " store part[g, b] = v; } ";
  int noticed = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto run = [&] { result(rows + last("load a = part[(g + 1) % 3, 0];"), one, seed); };
    noticed += internal_error_of(run).ends_with("of 'part' is read before it is written");
  }
  EXPECT_GT(noticed, 3);
}

TEST(LoopLast, without_it_members_of_a_grid_race) {
  const std::string early = "deal cores () { load a = part[(b + 1) % 4]; } }";
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_NE(internal_error_of([&] { result(parts + early, blocks, seed); }), fine);
  }
}

TEST(LoopLast, is_printed_and_read) {
  const Program p = rows_with(parts + last("load a = part[0]; store y[g] = a;"), blocks);
  EXPECT_NE(print(p).find("last b {"), std::string::npos);
  EXPECT_EQ(parse(print(p)), p);
}

TEST(LoopLast, is_the_end_of_a_share) {
  EXPECT_EQ(refused(parts + "last b { } }", blocks), fine);
  EXPECT_EQ(refused(parts + "last b { } deal cores () { } }", blocks),
            "the last one of a grid does something that is not the end of its share");
  EXPECT_EQ(refused(parts + "if g == 0 { last b { } } }", blocks),
            "the last one of a grid does something that is not the end of its share");
  EXPECT_EQ(refused(parts + "last p { } }", blocks),
            "the last one of 'p', which is no share of the grid");
  EXPECT_EQ(refused("alloc part; last b { }", blocks), "the last one of a grid, outside of it");
}

// ---- shares that follow others

const More row{
    "digit g: BLK.i < 3 of i step 1 grid\n"
    "digit b: BLK.k < 4 of k step 1 grid\n",
    "buffer temporary part: i64[3] in DM of all per ()\n"};

const std::string made =
    "alloc part; deal grid (g < 3) { deal cores () { load v = x[g, 0]; "
    "store part[g] = v; } ";

std::string sum_before(const std::string& first) {
  return "deal cores () { load a = part[g]; store y[g] = a; "
         "for - n < g - " +
         first + " sequential { load l = y[g]; load r = part[" + first +
         " + n]; combine s = (l; r); store y[g] = s; } } }";
}

TEST(LoopFollow, sees_what_those_before_it_have_done) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(result(made + "follow g from 0 step 1; " + sum_before("0"), row, seed),
              (std::vector<int64_t>{1, 51, 215}));
  }
}

TEST(LoopFollow, sees_nothing_of_others) {
  std::set<std::string> complaints;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    complaints.insert(internal_error_of(
        [&] { result(made + "follow g from g / 2 * 2 step 1; " + sum_before("0"), row, seed); }));
  }
  EXPECT_TRUE(complaints.contains("element 0 of 'part' is read before it is written"));
}

/// The last one waits for the first one only, and so on.
TEST(LoopFollow, waits_for_every_step) {
  const std::string some =
      "deal cores () { load a = part[g]; store y[g] = a; "
      "if g == 2 { load l = part[0]; load r = part[g]; combine s = (l; r);"
      " store y[g] = s; } } }";
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(result(made + "follow g from 0 step 2; " + some, row, seed),
              (std::vector<int64_t>{1, 5, 12}));
  }
}

TEST(LoopFollow, is_printed_and_read) {
  const Program p = rows_with(made + "follow g from g / 2 * 2 step 3; " + sum_before("0"), row);
  EXPECT_NE(print(p).find("follow g from g / 2 * 2 step 3;"), std::string::npos);
  EXPECT_EQ(parse(print(p)), p);
}

// ---- what they tell each other

const More told{
    "digit g: BLK.i < 3 of i step 1 grid\n"
    "digit b: BLK.k < 4 of k step 1 grid\n",
    "buffer temporary mine: i64[] in SM of group per (g)\n"
    "buffer temporary heard: i64[2] in SM of group per (g)\n"
    "buffer temporary near: i64[] in RM of core per (g)\n"};

const std::string telling =
    "deal grid (g < 3) { alloc mine; alloc heard; alloc near; "
    "deal cores () { load v = x[g, 0]; store mine[] = v; } barrier cores; ";

const std::string sum_of_heard =
    "deal cores () { load a = mine[]; store y[g] = a; "
    "for - n < g sequential { load l = y[g]; load r = heard[n]; combine s = (l; r); "
    "store y[g] = s; } } }";

TEST(LoopFollow, hears_what_those_before_it_have_told) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(result(telling + "follow g from 0 step 1 tells (mine[]) hears nth (heard[nth]); " +
                         sum_of_heard,
                     told, seed),
              (std::vector<int64_t>{1, 51, 215}));
  }
}

TEST(LoopFollow, hears_nothing_of_who_has_nothing_to_tell) {
  const std::string complaint = internal_error_of([&] {
    result(telling + "follow g from 0 step 1 tells (mine[]) if g == 1 hears nth (heard[nth]); " +
               sum_of_heard,
           told, 1);
  });
  EXPECT_EQ(complaint, "element 0 of 'heard' is read before it is written");
}

TEST(LoopFollow, what_is_told_is_printed_and_read) {
  const std::string text = "follow g from 0 step 1 tells (mine[]) if g < 2 hears nth (heard[nth]);";
  const Program p = rows_with(telling + text + sum_of_heard, told);
  EXPECT_NE(print(p).find(text), std::string::npos);
  EXPECT_EQ(parse(print(p)), p);
}

TEST(LoopFollow, what_is_told_and_heard_belongs_to_the_group) {
  EXPECT_EQ(refused(telling + "follow g from 0 step 1 tells (mine[]) hears nth (near[]); }", told),
            "shares that follow others tell or hear 'near', which does not belong to a group");
  EXPECT_EQ(refused(telling + "follow g from 0 step 1 tells (mine[]) hears nth (); }", told),
            "1 are told, and 0 are heard");
}

TEST(LoopFollow, all_shares_get_there_in_order) {
  EXPECT_EQ(refused("follow g from 0 step 1;", row),
            "a share of the grid that follows others, outside of it");
  EXPECT_EQ(refused(made + "if g > 0 { follow g from 0 step 1; } }", row),
            "shares of a grid follow others that need not get there");
  EXPECT_EQ(refused(made + "follow g from 0 step 0; }", row), "every 0th share of 'g'");
  EXPECT_EQ(refused(made + "follow b from 0 step 1; }", row),
            "shares follow each other in 'b', which is no share of the grid");
  EXPECT_EQ(refused("deal grid (g < 3) on 2 { follow g from 0 step 1; }", row),
            "shares of a grid that begin in another order follow each other");
}

}  // namespace
}  // namespace mdh::loop::team_test
