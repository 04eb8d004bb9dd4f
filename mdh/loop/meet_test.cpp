// Members of a grid that wait for each other, and read what each of them keeps.
#include <gtest/gtest.h>

#include "mdh/loop/print.h"
#include "mdh/loop/test_runs.h"

namespace mdh::loop::meet_test {
namespace {

std::string refused(const std::string& body, const More& more) {
  const std::string text = diagnostic_of([&] { parse(rows_text(body, more)); }).message;
  const std::string begin = "not a well-formed loop program: ";
  if (!text.starts_with(begin)) return text;
  return text.substr(begin.size(), text.rfind(" (") - begin.size());
}

const More blocks{
    "digit g: BLK.i < 3 of i step 1 grid\n"
    "digit b: BLK.k < 4 of k step 1 grid\n",
    "buffer temporary part: i64[4] in SM of group per (g) across b\n"
    "buffer temporary all: i64[3, 4] in DM of all per ()\n"};

const std::string made =
    "deal grid (g < 3, b < 4) { alloc part; "
    "deal cores () { load v = x[g, b]; store part[b] = v; } ";

/// Member `who` combines all parts of its row.
std::string folded(const std::string& who) {
  return "deal cores () { if b == " + who +
         " { load a = part[0]; store y[g] = a; for - n < 4 sequential from 1 { "
         "load l = y[g]; load r = part[n]; combine s = (l; r); store y[g] = s; } } } ";
}

TEST(LoopMeet, everybody_sees_what_others_did_before) {
  for (const char* who : {"0", "2", "3", "g"}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      EXPECT_EQ(result(made + "meet b; " + folded(who) + "meet b; }", blocks, seed), in_order);
    }
  }
}

/// Members read, meet, and write what others have read.
TEST(LoopMeet, several_times) {
  const std::string turned =
      "alloc next; deal cores () { load w = part[(b + 1) % 4]; store next[] = w; } meet b; "
      "deal cores () { load u = next[]; store part[b] = u; } meet b; ";
  const More more{blocks.digits,
                  blocks.buffers + "buffer temporary next: i64[] in RM of core per (g, b)\n"};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(result(made + "meet b; " + turned + folded("1") + "meet b; }", more, seed),
              (std::vector<int64_t>{2341, 6785, 4682}));
  }
}

TEST(LoopMeet, members_race_where_they_do_not_meet_in_between) {
  const std::string early = "deal cores () { load w = part[b]; store part[b] = w; } ";
  const std::string read = "deal cores () { load r = part[(b + 1) % 4]; } ";
  EXPECT_EQ(complaint(made + "meet b; " + read + "meet b; " + early + "}", blocks), fine);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::string said = internal_error_of(
        [&] { result(made + "meet b; " + read + early + "meet b; }", blocks, seed); });
    EXPECT_TRUE(said.starts_with("race: element ")) << said;
  }
}

/// What they do in memory that all see is ordered as well; other members of the grid it does not
/// concern.
TEST(LoopMeet, orders_all_memory_of_those_that_meet) {
  const std::string rows =
      "deal grid (g < 3, b < 4) { deal cores () { load v = x[g, b]; store all[g, b] = v; } ";
  const auto read = [&](const char* row, const char* meet) {
    return rows + meet + "deal cores () { load r = all[" + row + ", (b + 1) % 4]; } }";
  };
  const std::string before = "alloc all; ";
  EXPECT_EQ(complaint(before + read("g", "meet b; "), blocks), fine);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const std::string& wrong :
         {read("g", ""), read("(g + 1) % 3", "meet b; "), read("(g + 2) % 3", "meet b; ")}) {
      EXPECT_NE(internal_error_of([&] { result(before + wrong, blocks, seed); }), fine) << wrong;
    }
  }
}

TEST(LoopMeet, own_elements_begin_anew_by_themselves) {
  const std::string again = "alloc part; deal cores () { load r = part[b]; } meet b; }";
  EXPECT_TRUE(complaint(made + "meet b; " + again, blocks).ends_with("complaints"));
  const std::string others =
      "deal grid (g < 3, b < 4) { alloc part; deal cores () { load v = x[g, b]; "
      "store part[b] = v; } deal cores () { load w = part[b]; } meet b; }";
  EXPECT_EQ(complaint(others, blocks), fine);
}

TEST(LoopMeet, is_printed_and_read) {
  const Program p = rows_with(made + "meet b; " + folded("0") + "meet b; }", blocks);
  EXPECT_NE(print(p).find("\n    meet b;\n"), std::string::npos) << print(p);
  EXPECT_NE(print(p).find("part: i64[4] in SM of group per (g) across b\n"), std::string::npos);
  EXPECT_EQ(parse(print(p)), p);
}

TEST(LoopMeet, all_shares_get_there) {
  const std::string grid = "deal grid (g < 3, b < 4) ";
  EXPECT_EQ(refused(grid + "{ meet b; }", blocks), fine);
  EXPECT_EQ(refused("meet b;", blocks), "a share of the grid that meets others, outside of it");
  EXPECT_EQ(refused(grid + "{ if g > 0 { meet b; } }", blocks),
            "shares of a grid meet others that need not get there");
  EXPECT_EQ(refused(grid + "{ deal cores () { meet b; } }", blocks),
            "a share of the grid that meets others, outside of it");
  EXPECT_EQ(refused(grid + "{ meet p; }", blocks),
            "shares meet over 'p', which is no share of the grid");
  EXPECT_EQ(refused("deal grid (g < 3) { meet b; }", blocks),
            "shares meet over 'b', which is no share of the grid");
  EXPECT_EQ(refused(grid + "{ meet b; meet g; }", blocks), "shares meet over 'b', and over 'g'");
  EXPECT_EQ(refused(grid + "on 6 { meet b; }", blocks),
            "shares of a grid meet others that have not begun");
  for (const char* other : {"last b { }", "follow g from 0 step 1;"}) {
    EXPECT_EQ(refused(grid + "{ meet b; " + other + " }", blocks),
              "shares of a grid meet, and some are the last ones or follow others");
  }
}

TEST(LoopMeet, elements_of_others_are_read_between_meetings) {
  const std::string before =
      "'part' of another member of the grid is read by members that do not "
      "meet before and behind that";
  const std::string read = "deal cores () { load r = part[(b + 1) % 4]; } ";
  EXPECT_EQ(refused(made + "meet b; " + read + "meet b; }", blocks), fine);
  EXPECT_EQ(refused(made + "meet b; " + read + "}", blocks), before);
  EXPECT_EQ(refused(made + read + "meet b; }", blocks), before);
  EXPECT_EQ(refused(made + "deal cores () { load r = part[b]; } }", blocks), fine);
  EXPECT_EQ(refused(made + "deal cores () { store part[0] = v; } }", blocks),
            "value 'v' is used before it is defined");
  EXPECT_EQ(refused(made + "deal cores () { load w = part[b]; store part[3 - b] = w; } }", blocks),
            "an element of 'part' that another member of the grid keeps is written");
}

TEST(LoopMeet, what_members_keep_belongs_to_their_groups) {
  const auto why = [](const std::string& buffer) {
    return refused("", {blocks.digits, "buffer temporary part: " + buffer + "\n"});
  };
  EXPECT_EQ(why("i64[4, 2] in SM of group per (g) across b"), fine);
  EXPECT_EQ(why("i64[2, 4] in SM of group per (g) across b"),
            "'part' does not have elements for every 'b'");
  EXPECT_EQ(why("i64[] in SM of group per (g) across b"),
            "'part' does not have elements for every 'b'");
  EXPECT_EQ(why("i64[4] in SM of group per (g, b) across b"), "'part' is per 'b', and across it");
  EXPECT_EQ(why("i64[4] in SM of all per (g) across b"),
            "'part' is kept by members of a grid, but not in their own memory");
  EXPECT_EQ(why("i64[4] in SM of group per (g) across q"),
            "'part' is kept across 'q', which is not of the grid");
  EXPECT_EQ(why("i64[4] in SM of group per (g) across z"), "there is no digit 'z'");
}

}  // namespace
}  // namespace mdh::loop::meet_test
