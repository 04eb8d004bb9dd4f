#include "mdh/report/markup.h"

#include <gtest/gtest.h>

#include "mdh/report/units.h"

namespace mdh::report::markup_test {
namespace {

TEST(Markup, signs_of_the_language_are_escaped) {
  EXPECT_EQ(escaped(R"(a<b> & "c" 'd')"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escaped("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;");
  EXPECT_EQ(escaped("two\nlines, µs ×"), "two\nlines, µs ×");
}

TEST(Markup, what_is_no_character_is_replaced) {
  EXPECT_EQ(escaped("a\x1B[1mb"), "a\xEF\xBF\xBD[1mb");
  EXPECT_EQ(escaped("a\xFF<"), "a\xEF\xBF\xBD&lt;");
  EXPECT_EQ(escaped("\xC2"), "\xEF\xBF\xBD");
  EXPECT_EQ(escaped("\xE2\x82<"), "\xEF\xBF\xBD\xEF\xBF\xBD&lt;");
}

TEST(Markup, a_long_text_is_cut_between_characters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc…");
  EXPECT_EQ(shortened("aµb", 2), "a…");
}

TEST(Units, numbers_have_the_unit_that_keeps_them_short) {
  EXPECT_EQ(time_text(0.85), "850 ns");
  EXPECT_EQ(time_text(153.24), "153.2 µs");
  EXPECT_EQ(time_text(38660), "38.66 ms");
  EXPECT_EQ(time_text(2.5e6), "2.5 s");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1536 << 10), "1.5 MiB");
  EXPECT_EQ(number_text(12840.3), "12840");
  EXPECT_EQ(percent_text(0.431), "43 %");
  EXPECT_EQ(percent_text(0.0044), "0.4 %");
  EXPECT_EQ(percent_text(0), "0 %");
}

}  // namespace
}  // namespace mdh::report::markup_test
