#include "mdh/runtime/build_log.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mdh::runtime::build_log_test {
namespace {

const std::string source = "one\ntwo\nthree\nfour\nfive\nsix\nseven";

TEST(BuildLog, lines_come_with_their_neighbours) {
  EXPECT_EQ(offending_lines(source, "/tmp/a.cl:3:9: error: no"),
            "    2 | two\n    3 | three\n    4 | four\n");
}

TEST(BuildLog, every_line_is_shown_once_and_in_order) {
  EXPECT_EQ(offending_lines(source, "<kernel>:7:1: error: a\n<kernel>:6:2: error: b"),
            "    5 | five\n    6 | six\n    7 | seven\n");
}

TEST(BuildLog, first_line_has_no_neighbour_above) {
  EXPECT_EQ(offending_lines(source, "x:1:1: error"), "    1 | one\n    2 | two\n");
}

TEST(BuildLog, other_compilers_write_the_word) {
  EXPECT_EQ(offending_lines(source, "\"a.cl\", line 2: error: no"),
            "    1 | one\n    2 | two\n    3 | three\n");
}

TEST(BuildLog, compilers_of_nvidia_write_parentheses) {
  EXPECT_EQ(offending_lines(source, "kernels.cu(6): error: identifier \"x\" is undefined"),
            "    5 | five\n    6 | six\n    7 | seven\n");
}

TEST(BuildLog, numbers_that_are_no_lines_are_passed_over) {
  for (const std::string log :
       {"", "x:99:1: no", "x:0:1: no", "12:34", "a: 3: b", "line ", "f(3)", "(3, 4): no", "(): no",
        ":::", "x:99999999999999999999:1:", "error: 3 errors"}) {
    EXPECT_EQ(offending_lines(source, log), "") << log;
  }
}

TEST(BuildLog, long_logs_show_a_limited_number_of_lines) {
  std::string long_source, log;
  for (int line = 1; line <= 1000; ++line) {
    long_source += "x\n";
    log += "a.cl:" + std::to_string(line) + ":1: error\n";
  }
  const std::string lines = offending_lines(long_source, log);
  EXPECT_LE(std::count(lines.begin(), lines.end(), '\n'), 45);
}

}  // namespace
}  // namespace mdh::runtime::build_log_test
