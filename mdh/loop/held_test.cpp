// What cores hold between two Deals: steady shares, and buffers that belong to them.
#include <gtest/gtest.h>

#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"
#include "mdh/loop/test_runs.h"
#include "mdh/loop/verify.h"

namespace mdh::loop::held_test {
namespace {

/// Share a of three stores an element of t.
std::string store(const std::string& shares, const std::string& to) {
  return fmt::format("deal cores ({}) collective steady {{ load v = x[a, 0]; store {} = v; }}",
                     shares, to);
}

std::string load(const std::string& shares, const std::string& attributes,
                 const std::string& from) {
  return fmt::format("deal cores ({}) {} {{ load w = {}; }}", shares, attributes, from);
}

TEST(Held, equally_many_steady_shares_have_the_same_owners) {
  EXPECT_EQ(complaint(store("a < 3", "t[0, a]") + load("a < 3", "collective steady", "t[0, a]")),
            fine);
  EXPECT_EQ(complaint(store("a < 3", "t[0, a]") + load("b < 3", "collective steady", "t[0, b]")),
            fine)
      << "whatever they are called";
}

TEST(Held, other_shares_have_other_owners) {
  const std::string race = "race: element 0 of 't' is read while another part writes it";
  const std::string first = store("a < 3", "t[0, a]");
  EXPECT_EQ(complaint(first + load("b < 2", "collective steady", "t[0, 0]")), race);
  EXPECT_EQ(complaint(first + load("a < 3", "collective", "t[0, 0]")), race);
  EXPECT_EQ(complaint(first + load("a < 3", "", "t[0, 0]")), race);
  // Equally many, but it is another one that reads.
  EXPECT_EQ(complaint(first + "deal cores (b < 3) collective steady { if b == 1 { load w = "
                              "t[0, 0]; } }"),
            race);
}

const More held{{}, "buffer temporary h: i64[3, 2] in SM of group per () held\n"};

TEST(Held, text_says_so) {
  const Program p = rows_with(
      "deal grid () { alloc h; deal cores (a < 3) collective steady { load v = x[a, 0]; store h[a, "
      "1] = v; } }",
      held);
  EXPECT_TRUE(find_buffer(p, named("h")).held);
  EXPECT_EQ(parse(print(p)), p);
  const Program copies =
      rows_with("copy registers (a < 3, b < 2) h[a, b] = x[a, b] within () team () whole 1;", held);
  EXPECT_EQ(parse(print(copies)), copies);
  EXPECT_NE(print(copies).find("copy registers (a < 3, b < 2)"), std::string::npos);
}

TEST(Held, only_temporaries_of_a_group_are) {
  const More other{{}, "buffer temporary h: i64[3, 2] in MM of all per () held\n"};
  EXPECT_EQ(
      internal_error_of([&] { verify(rows_with("alloc h;", other)); }),
      "not an internal error: not a well-formed loop program: 'h' is held, but not by the cores of "
      "a group");
}

}  // namespace
}  // namespace mdh::loop::held_test
