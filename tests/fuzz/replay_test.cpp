// Replays what the fuzzer found worth keeping: corpus/<target>/ holds one text per file.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "mdh/support/files.h"
#include "tests/fuzz/targets.h"

namespace mdh::fuzz::replay_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(MDH_SOURCE_DIR) / "tests/fuzz/corpus";

std::vector<fs::path> corpus_of(const std::string& target) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder / target)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const Target& target : targets()) names.push_back(target.name);
  return names;
}

class Replay : public testing::TestWithParam<std::string> {};

TEST_P(Replay, every_text_is_accepted_or_refused_in_time) {
  const Target& target = find_target(GetParam());
  for (const fs::path& file : corpus_of(target.name)) {
    const std::clock_t start = std::clock();
    EXPECT_NO_THROW(target.run(read_file(file))) << file;
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 5) << file;
  }
}

TEST_P(Replay, corpus_is_there_and_small) {
  const std::vector<fs::path> files = corpus_of(GetParam());
  EXPECT_GE(files.size(), 10u);
  EXPECT_LE(files.size(), 200u);
  uintmax_t bytes = 0;
  for (const fs::path& file : files) {
    EXPECT_LT(fs::file_size(file), 4096u) << file;
    bytes += fs::file_size(file);
  }
  EXPECT_LT(bytes, 100000u);
}

INSTANTIATE_TEST_SUITE_P(Target, Replay, testing::ValuesIn(target_names()),
                         [](const auto& info) { return info.param; });

TEST(Replay, every_folder_of_the_corpus_belongs_to_a_target) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_NO_THROW(find_target(entry.path().filename().string())) << entry.path();
  }
}

}  // namespace
}  // namespace mdh::fuzz::replay_test
