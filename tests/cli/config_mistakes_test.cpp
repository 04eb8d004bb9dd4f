// Wrong configurations and what mdh says about them. Every .json file in tests/errors/configs has
// one mistake; expected.txt has one entry for each, a command and all that it prints:
//
//   $ mdh check matvec --config parts_do_not_cover.json
//   mdh: error: split.i: 6 parts do not cover the size 7 (full partitioning) [E326]
//   hint: multiply one of the counts by at least 2

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tests/cli/tool.h"

namespace mdh::test::config_mistakes_test {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(MDH_SOURCE_DIR) / "tests" / "errors" / "configs"; }

struct Case {
  std::string program, output;
};

/// Cases by the name of their file.
std::map<std::string, Case> cases() {
  std::map<std::string, Case> all;
  Case* current = nullptr;
  for (const std::string& line : split(read_file(folder() / "expected.txt"), '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.front() != "$") {
      if (current != nullptr && !line.empty()) current->output += line + "\n";
      continue;
    }
    EXPECT_EQ(words.size(), 6u) << line;
    current = &all[words.back()];
    current->program = words[3];
  }
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, one] : cases()) all.push_back(name.substr(0, name.find('.')));
  return all;
}

class WrongConfiguration : public testing::TestWithParam<std::string> {};

TEST_P(WrongConfiguration, is_refused_in_these_words) {
  const std::string file = GetParam() + ".json";
  const Case expected = cases().at(file);
  const Outcome outcome = mdh({"check", expected.program, "--config", (folder() / file).string()});
  std::string said = outcome.err;
  const std::string prefix = folder().string() + "/";
  for (size_t at = said.find(prefix); at != std::string::npos; at = said.find(prefix)) {
    said.erase(at, prefix.size());
  }
  EXPECT_EQ(outcome.exit, 2) << describe(outcome);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(said, expected.output);
}

INSTANTIATE_TEST_SUITE_P(Configurations, WrongConfiguration, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST(WrongConfigurations, every_file_has_its_words_and_all_words_their_file) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, names());
  EXPECT_GE(files.size(), 40u);
}

}  // namespace
}  // namespace mdh::test::config_mistakes_test
