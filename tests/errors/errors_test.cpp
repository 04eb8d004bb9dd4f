// Wrong programs and what mdh says about them. Every .mdh file in this folder has one mistake, and
// on the line of the mistake a comment with what is to be said:
//
//   * inp_view( x: f32 = [i - 1] )  // error: reaches -1 at i = 0  // hint: shift the access
//
// Both are regular expressions that must be found in the message and in the hint; without "hint:"
// there must be no hint. The second half keeps docs/errors.md complete, and the corpus of wrong
// configurations in configs/, which tests/cli runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <regex>
#include <set>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"
#include "mdh/support/text.h"

namespace mdh::errors_test {
namespace {

namespace fs = std::filesystem;

using Codes = std::set<std::string>;

fs::path root() { return MDH_SOURCE_DIR; }

struct Expectation {
  int line;
  std::string error, hint;
};

std::optional<Expectation> expectation_of(const std::string& text) {
  static const std::regex comment("// error: (.*?)( *// hint: (.*))?$");
  std::optional<Expectation> found;
  int line = 0;
  for (const std::string& content : split(text, '\n')) {
    ++line;
    std::smatch match;
    if (!std::regex_search(content, match, comment)) continue;
    EXPECT_FALSE(found.has_value()) << "line " << line << ": a second mistake";
    found = {line, match[1], match[3]};
  }
  return found;
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root() / "tests" / "errors")) {
    if (entry.path().extension() == ".mdh") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const std::string& name) {
  return read_file(root() / "tests" / "errors" / (name + ".mdh"));
}

Diagnostic diagnostic_for(const std::string& name) {
  return diagnostic_of([&] { hl::instantiate(hl::parse(text_of(name), name + ".mdh"), {}); });
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, mistake_is_reported_as_written_beside_it) {
  const auto expected = expectation_of(text_of(GetParam()));
  ASSERT_TRUE(expected.has_value()) << "no line has a comment '// error: ...'";
  const Diagnostic d = diagnostic_for(GetParam());
  EXPECT_TRUE(d.kind == DiagnosticKind::user || d.kind == DiagnosticKind::unsupported) << render(d);
  EXPECT_EQ(d.where.line, expected->line) << render(d);
  EXPECT_TRUE(std::regex_search(d.message, std::regex(expected->error)))
      << "expected: " << expected->error << "\n"
      << render(d);
  EXPECT_TRUE(std::regex_search(d.hint, std::regex(expected->hint)))
      << "expected hint: " << expected->hint << "\n"
      << render(d);
  EXPECT_EQ(d.hint.empty(), expected->hint.empty()) << render(d);
}

INSTANTIATE_TEST_SUITE_P(Errors, Corpus, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param; });

// ---- docs/errors.md

/// Sections "## E101" with their text.
std::map<std::string, std::string> sections() {
  std::map<std::string, std::string> all;
  std::string current;
  static const std::regex heading("^## (E[0-9]{3})$");
  for (const std::string& line : split(read_file(root() / "docs" / "errors.md"), '\n')) {
    std::smatch match;
    if (std::regex_search(line, match, heading)) {
      current = match[1];
      EXPECT_TRUE(all.emplace(current, "").second) << current << " has two sections";
    } else if (!current.empty()) {
      all[current] += line + "\n";
    }
  }
  return all;
}

/// Codes that the sources in a folder can raise.
Codes codes_in(const std::string& folder) {
  Codes codes;
  static const std::regex code("\"(E[0-9]{3})\"");
  for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
    const std::string path = entry.path().string();
    const bool is_source = path.ends_with(".cpp") || path.ends_with(".h");
    if (!is_source || path.ends_with("_test.cpp")) continue;
    const std::string text = read_file(entry.path());
    for (std::sregex_iterator match(text.begin(), text.end(), code), end; match != end; ++match) {
      codes.insert((*match)[1]);
    }
  }
  return codes;
}

Codes all_codes() {
  Codes codes;
  for (const char* folder : {"mdh", "tools", "examples", "bench"}) codes.merge(codes_in(folder));
  return codes;
}

TEST(ErrorIndex, every_code_of_the_sources_has_a_section) {
  const auto index = sections();
  const Codes codes = all_codes();
  EXPECT_TRUE(codes.contains("E101")) << "the search finds codes at all";
  for (const std::string& code : codes) {
    EXPECT_TRUE(index.contains(code))
        << code << " needs a section '## " << code << "' in docs/errors.md";
  }
}

TEST(ErrorIndex, every_section_is_about_a_code_of_the_sources) {
  const Codes codes = all_codes();
  for (const auto& [code, text] : sections()) {
    EXPECT_TRUE(codes.contains(code)) << "no source raises " << code << " any more";
  }
}

TEST(ErrorIndex, every_section_explains_and_shows_an_example) {
  for (const auto& [code, text] : sections()) {
    EXPECT_GT(text.size(), 80u) << code;
    EXPECT_NE(text.find('`'), std::string::npos) << code << " shows no piece of text";
  }
}

TEST(ErrorIndex, codes_of_the_corpus_have_sections) {
  const auto index = sections();
  for (const std::string& name : cases()) {
    const std::string code = diagnostic_for(name).code;
    EXPECT_TRUE(index.contains(code)) << name << " raises '" << code << "'";
  }
}

// Not from a file alone: they are about bindings (E210, E212, E213), the points and data of
// an evaluation (E131, E230 to E233) and the embedded form (E240 to E245).
TEST(ErrorIndex, every_mistake_a_file_can_make_is_in_the_corpus) {
  Codes expected = codes_in("mdh/scalar");
  expected.merge(codes_in("mdh/hl"));
  for (const char* code : {"E131", "E210", "E212", "E213", "E230", "E231", "E232", "E233", "E240",
                           "E241", "E242", "E243", "E244", "E245"}) {
    EXPECT_EQ(expected.erase(code), 1u) << code << " is not raised any more";
  }
  Codes seen;
  for (const std::string& name : cases()) seen.insert(diagnostic_for(name).code);
  for (const std::string& code : expected) {
    EXPECT_TRUE(seen.contains(code)) << code << " needs a case in tests/errors/";
  }
}

// Not from a configuration file alone: they are about tables (E319) and the text form (E330 to
// E333).
TEST(ErrorIndex, every_mistake_a_configuration_can_make_is_in_the_corpus) {
  Codes raised = codes_in("mdh/ll"), expected = {"E352"};
  std::copy_if(raised.begin(), raised.end(), std::inserter(expected, expected.end()),
               [](const std::string& code) { return "E310" <= code && code < "E360"; });
  for (const char* code : {"E319", "E330", "E331", "E332", "E333"}) {
    EXPECT_EQ(expected.erase(code), 1u) << code << " is not raised any more";
  }
  EXPECT_GE(expected.size(), 30u);
  const std::string text = read_file(root() / "tests" / "errors" / "configs" / "expected.txt");
  for (const std::string& code : expected) {
    EXPECT_NE(text.find("[" + code + "]"), std::string::npos)
        << code << " needs a case in tests/errors/configs/";
  }
}

}  // namespace
}  // namespace mdh::errors_test
