#include "mdh/support/text.h"

#include <gtest/gtest.h>

namespace mdh::text_test {
namespace {

using Words = std::vector<std::string>;

TEST(Text, names_of_others_are_made_printable) {
  EXPECT_EQ(in_ascii("Some GPU (R) 1"), "Some GPU (R) 1");
  EXPECT_EQ(in_ascii("A\xae B\n\x7f"), "A? B??");
  EXPECT_EQ(in_ascii(""), "");
}

TEST(Text, join_puts_the_separator_between_parts_only) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
}

TEST(Text, split_keeps_empty_parts) {
  EXPECT_EQ(split("a,b", ','), (Words{"a", "b"}));
  EXPECT_EQ(split(",a,,b,", ','), (Words{"", "a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Words{""}));
}

TEST(Text, split_is_undone_by_join) {
  for (const char* text : {"", ",", "a", "a,b,,c", ",,"}) {
    EXPECT_EQ(join(split(text, ','), ","), text);
  }
}

TEST(Text, indent_moves_every_line_but_empty_ones) {
  EXPECT_EQ(indent("a\n\n b\n", 2), "  a\n\n   b\n");
  EXPECT_EQ(indent("", 2), "");
}

TEST(Nearest, one_misspelt_letter_is_forgiven) {
  EXPECT_EQ(nearest("matvek", {"dot", "matvec", "matmul"}), "matvec");
  EXPECT_EQ(nearest("atvec", {"dot", "matvec", "matmul"}), "matvec");
  EXPECT_EQ(nearest("mattvec", {"dot", "matvec", "matmul"}), "matvec");
}

TEST(Nearest, exact_name_wins_over_similar_ones) {
  EXPECT_EQ(nearest("ab", {"ac", "ab", "abc"}), "ab");
}

TEST(Nearest, first_of_equally_near_names_is_taken) {
  EXPECT_EQ(nearest("ab", {"ax", "ay"}), "ax");
}

TEST(Nearest, a_third_of_the_letters_may_differ_and_no_more) {
  EXPECT_EQ(nearest("abcdef", {"xxcdef"}), "xxcdef");
  EXPECT_EQ(nearest("abcdef", {"xxxdef"}), "");
}

TEST(Nearest, two_letters_in_the_wrong_order_count_as_two_changes) {
  EXPECT_EQ(nearest("mtavec", {"matvec"}), "matvec");
  EXPECT_EQ(nearest("tavec", {"atvec"}), "") << "five letters allow for one change";
}

TEST(Suggestion, asks_for_the_near_name_or_lists_what_is_known) {
  EXPECT_EQ(suggestion("matvek", {"dot", "matvec"}), "did you mean 'matvec'?");
  EXPECT_EQ(suggestion("conv2d", {"dot", "matvec"}), "known: dot, matvec");
  EXPECT_EQ(suggestion("conv2d", {}), "");
}

TEST(ToInteger, whole_text_must_be_a_number_that_fits) {
  long long value = 0;
  EXPECT_TRUE(to_integer("-42", value));
  EXPECT_EQ(value, -42);
  EXPECT_TRUE(to_integer("9223372036854775807", value));
  EXPECT_EQ(value, 9223372036854775807LL);
  for (const char* text : {"", "-", "4x", " 4", "4 ", "1.5", "+3", "9223372036854775808"}) {
    EXPECT_FALSE(to_integer(text, value)) << '"' << text << '"';
  }
}

TEST(TimeLeft, is_told_in_the_unit_that_people_would_use) {
  EXPECT_EQ(time_left(0.5, 1.2), "50 %, 1 s left");
  EXPECT_EQ(time_left(0.25, 33), "25 %, 99 s left");
  EXPECT_EQ(time_left(0.01, 2), "1 %, 3 min left");
  EXPECT_EQ(time_left(0.001, 10), "0 %, 3 h left");
  EXPECT_EQ(time_left(1e-6, 3600), "0 %, 41667 days left");
  EXPECT_EQ(time_left(1, 5), "100 %, 0 s left");
}

TEST(Text, rows_are_aligned_without_blanks_behind_them) {
  const std::vector<std::vector<std::string>> rows = {{"a", "long", "x"}, {"name", "7", ""}};
  EXPECT_EQ(aligned(rows, Align::left), "a     long  x\nname  7\n");
  EXPECT_EQ(aligned(rows, Align::right), "a     long  x\nname     7\n");
  EXPECT_EQ(aligned({}, Align::left), "");
}

TEST(LowerCase, changes_letters_only) { EXPECT_EQ(lower_case("L1_Reg-Z"), "l1_reg-z"); }

}  // namespace
}  // namespace mdh::text_test
