#include "mdh/support/diagnostic.h"

#include <gtest/gtest.h>

#include "mdh/support/testing.h"

namespace mdh::diagnostic_test {
namespace {

Location at(int line, int column) {
  return {std::make_shared<const std::string>("a.mdh"), line, column};
}

Diagnostic wrong(Location where) {
  return {DiagnosticKind::user, "E101", std::move(where), "this is wrong", {}, ""};
}

TEST(Diagnostic, error_without_place_is_signed_by_the_program) {
  EXPECT_EQ(render(wrong({})), "mdh: error: this is wrong [E101]\n");
}

TEST(Diagnostic, place_is_written_as_file_line_column) {
  EXPECT_EQ(render(wrong(at(3, 7))), "a.mdh:3:7: error: this is wrong [E101]\n");
}

TEST(Diagnostic, caret_stands_below_the_column) {
  EXPECT_EQ(render(wrong(at(2, 5)), "first\nab = cd;\nlast\n"),
            "a.mdh:2:5: error: this is wrong [E101]\n"
            "  ab = cd;\n"
            "      ^\n");
}

TEST(Diagnostic, caret_in_the_first_column_and_the_last_line) {
  EXPECT_EQ(render(wrong(at(2, 1)), "first\nlast"),
            "a.mdh:2:1: error: this is wrong [E101]\n"
            "  last\n"
            "  ^\n");
}

TEST(Diagnostic, caret_stays_aligned_after_tabs) {
  EXPECT_EQ(render(wrong(at(1, 4)), "\ta\tb"),
            "a.mdh:1:4: error: this is wrong [E101]\n"
            "  \ta\tb\n"
            "  \t \t^\n");
}

TEST(Diagnostic, caret_beyond_the_line_stands_behind_it) {
  EXPECT_EQ(render(wrong(at(1, 99)), "abc"),
            "a.mdh:1:99: error: this is wrong [E101]\n"
            "  abc\n"
            "     ^\n");
}

TEST(Diagnostic, line_that_does_not_exist_is_not_shown) {
  EXPECT_EQ(render(wrong(at(9, 1)), "only\n"), "a.mdh:9:1: error: this is wrong [E101]\n");
}

TEST(Diagnostic, notes_and_then_the_hint_follow_the_excerpt) {
  Diagnostic d = wrong(at(1, 1));
  d.notes = {"because of this", "and of that"};
  d.hint = "do that";
  EXPECT_EQ(render(d, "x"),
            "a.mdh:1:1: error: this is wrong [E101]\n  x\n  ^\n"
            "note: because of this\nnote: and of that\nhint: do that\n");
}

TEST(Diagnostic, error_explains_itself_without_the_source) {
  Diagnostic d = wrong(at(1, 2));
  d.hint = "do that";
  EXPECT_STREQ(Error(d).what(), "a.mdh:1:2: error: this is wrong [E101]\nhint: do that\n");
}

TEST(Diagnostic, unsupported_says_so_first) {
  const Diagnostic d = diagnostic_of([] { unsupported("E202", {}, "prefix sums", "use pw"); });
  EXPECT_EQ(d.kind, DiagnosticKind::unsupported);
  EXPECT_EQ(d.code, "E202");
  EXPECT_EQ(d.message, "not supported: prefix sums");
  EXPECT_EQ(d.hint, "use pw");
}

TEST(Diagnostic, missing_has_no_place) {
  const Diagnostic d = diagnostic_of([] { missing("E003", "no compiler", "install one"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_FALSE(d.where.known());
  EXPECT_EQ(render(d), "mdh: error: no compiler [E003]\nhint: install one\n");
}

TEST(Diagnostic, exit_codes_are_those_of_the_command_line) {
  EXPECT_EQ(exit_code(DiagnosticKind::user), 2);
  EXPECT_EQ(exit_code(DiagnosticKind::unsupported), 2);
  EXPECT_EQ(exit_code(DiagnosticKind::wrong_result), 1);
  EXPECT_EQ(exit_code(DiagnosticKind::missing), 3);
  EXPECT_EQ(exit_code(DiagnosticKind::internal), 70);
}

TEST(DiagnosticOf, what_raises_no_error_is_of_no_kind) {
  const Diagnostic d = diagnostic_of([] {});
  for (const DiagnosticKind kind :
       {DiagnosticKind::user, DiagnosticKind::unsupported, DiagnosticKind::wrong_result,
        DiagnosticKind::missing, DiagnosticKind::internal}) {
    EXPECT_NE(d.kind, kind);
  }
}

TEST(InternalCheck, passes_in_silence) {
  EXPECT_EQ(diagnostic_of([] { internal_check(1 + 1 == 2, "arithmetic"); }).message,
            "(no error was raised)");
}

TEST(InternalCheck, failure_names_the_line_of_the_check_and_asks_for_a_report) {
  const int line = __LINE__ + 1;
  const Diagnostic d = diagnostic_of([] { internal_check(false, "tile {} of {}", 3, "i"); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message, "tile 3 of i");
  EXPECT_EQ(d.notes, (std::vector<std::string>{fmt::format("checked at {}:{}", __FILE__, line)}));
  EXPECT_NE(d.hint.find("please report it"), std::string::npos);
  EXPECT_EQ(render(d).find("mdh: internal error: tile 3 of i"), 0u);
  EXPECT_EQ(render(d).find('['), std::string::npos) << "a bug has no code to look up";
}

TEST(Location, takes_no_part_in_comparisons) {
  EXPECT_TRUE(at(1, 2) == at(3, 4));
  EXPECT_TRUE(at(1, 2) == Location{});
}

TEST(Location, without_file_is_called_text) {
  EXPECT_EQ(to_string(Location{nullptr, 2, 3}), "<text>:2:3");
  EXPECT_EQ(to_string(Location{}), "");
}

}  // namespace
}  // namespace mdh::diagnostic_test
