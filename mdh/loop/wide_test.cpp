// Neighbours at once: text, rules, meaning.
#include <gtest/gtest.h>

#include "mdh/loop/print.h"
#include "mdh/loop/test_runs.h"

namespace mdh::loop::wide_test {
namespace {

/// x has 3 rows of 4 elements, t one of 4; whole numbers.
const More declared{"digit c: COR.i < 3 of i step 1 cores\n",
                    "buffer temporary n: i64[3, 4] in MM of all per ()\n"};

std::string in_deal(const std::string& body) { return "deal cores (c < 3) { " + body + " }"; }

TEST(LoopWide, statements_are_read_back) {
  for (const std::string& body :
       {in_deal("load (a, b) = x[c, 2]; store y[c] = a;"),
        in_deal("load (a, b, d, e) = x[c, 0]; store n[c, 0] = (a, b, d, e);"),
        in_deal("async wide 4 n[c, 0] = x[c, 0];") + "commit; wait 0;"}) {
    const Program p = rows_with(body, declared);
    EXPECT_EQ(parse(print(p)), p) << body;
    EXPECT_NE(print(p).find("4"), std::string::npos);
  }
}

TEST(LoopWide, neighbours_are_loaded_and_stored) {
  const std::string body =
      in_deal("load (a, b) = x[c, 2]; store n[c, 0] = (b, a); load d = n[c, 1]; store y[c] = d;");
  EXPECT_EQ(result(body, declared), (std::vector<int64_t>{3, 7, 6}));
  const std::string copied = in_deal("async wide 2 n[c, 2] = x[c, 0];") + "commit; wait 0;" +
                             in_deal("load d = n[c, 3]; store y[c] = d;");
  EXPECT_EQ(complaint(copied, declared), fine);
}

TEST(LoopWide, the_place_of_the_first_is_a_multiple) {
  const std::string wrong = "2 elements of 'x' at once from a place that is no multiple of that";
  EXPECT_EQ(complaint(in_deal("load (a, b) = x[c, 1]; store y[c] = a;"), declared), wrong);
  EXPECT_EQ(
      complaint(in_deal("load a = x[c, 0]; store n[c, 3] = (a, a); store y[c] = a;"), declared),
      "2 elements of 'n' at once from a place that is no multiple of that");
  EXPECT_EQ(complaint(in_deal("async wide 2 n[c, 0] = x[c, 1];") + "commit; wait 0;", declared),
            wrong);
}

TEST(LoopWide, neighbours_are_elements_of_their_row) {
  EXPECT_EQ(
      complaint(in_deal("load (a, b, d, e, g, h, m, l) = x[0, 0]; store y[c] = a;"), declared),
      "index 4 is outside of [0, 4)");
}

TEST(LoopWide, races_are_noticed_at_every_element) {
  EXPECT_EQ(
      complaint(in_deal("load a = x[c, 0]; store n[0, 0] = (a, a); store y[c] = a;"), declared),
      "race: element 0 of 'n' is written by two parts");
}

TEST(LoopWide, numbers_that_are_no_power_of_two_are_refused) {
  const auto about = [](const std::string& body) {
    const std::string text = diagnostic_of([&] { rows_with(in_deal(body), declared); }).message;
    return text.substr(0, text.rfind(" ("));
  };
  const std::string begin = "not a well-formed loop program: ";
  EXPECT_EQ(about("load (a) = x[c, 0]; store y[c] = a;"), begin + "1 elements of 'x' at once");
  EXPECT_EQ(about("load (a, b, d) = x[c, 0]; store y[c] = a;"),
            begin + "3 elements of 'x' at once");
  EXPECT_EQ(about("async wide 3 n[c, 0] = x[c, 0];"), begin + "3 elements of 'n' at once");
}

}  // namespace
}  // namespace mdh::loop::wide_test
