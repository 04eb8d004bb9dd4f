// mdh tune: finds, records, resumes, and says what is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::tune_cli_test {
namespace {

using nlohmann::json;

class Tune : public ::testing::Test {
 protected:
  std::string file() const { return folder_.path() / "records.jsonl"; }
  size_t lines() const {
    const std::string text = read_file(file());
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  TemporaryDirectory folder_;
};

TEST_F(Tune, records_what_it_tries_and_run_uses_the_best) {
  const std::string matvec = "matvec --size 64,128 --records " + file();
  const Outcome tuned = mdh("tune " + matvec + " --budget 6 --json -q");
  ASSERT_EQ(tuned.exit, 0) << describe(tuned);
  const json report = json::parse(tuned.out, nullptr, false);
  EXPECT_EQ(report.value("evaluations", 0), 6);
  EXPECT_EQ(report.value("verified", ""), "full");
  EXPECT_EQ(lines(), 6U);
  const Outcome run = mdh("run " + matvec + " --json -q");
  ASSERT_EQ(run.exit, 0) << describe(run);
  EXPECT_EQ(json::parse(run.out, nullptr, false).value("config_source", ""), "record");
}

TEST_F(Tune, a_second_search_goes_on_where_the_first_one_ended) {
  const std::string line = "tune matvec --size 64,128 --records " + file() + " --budget 4 -q";
  ASSERT_EQ(mdh(line).exit, 0);
  ASSERT_EQ(mdh(line).exit, 0);
  EXPECT_EQ(lines(), 8U);
  // No configuration was tried twice.
  const std::string text = read_file(file());
  std::set<std::string> configs;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    configs.insert(json::parse(text.substr(begin, end - begin)).at("config").dump());
    begin = end + 1;
  }
  EXPECT_EQ(configs.size(), 8U);
}

TEST_F(Tune, a_full_disk_is_noted_and_does_not_end_the_search) {
  const Outcome o = mdh("tune matvec --size 16,16 --budget 2 --records /dev/full");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_NE(o.err.find("results are not recorded"), std::string::npos) << describe(o);
}

TEST_F(Tune, mistakes_are_explained) {
  const Outcome budget = mdh("tune matvec --size 8,8 --budget soon --no-records");
  EXPECT_EQ(budget.exit, 2);
  EXPECT_NE(budget.err.find("'soon' is no budget"), std::string::npos) << describe(budget);
  const Outcome technique = mdh("tune matvec --size 8,8 --technique luck --budget 2 --no-records");
  EXPECT_EQ(technique.exit, 2);
  EXPECT_NE(technique.err.find("luck"), std::string::npos) << describe(technique);
  const Outcome lock = mdh("tune matvec --size 8,8 --lock split.x=COR2 --no-records");
  EXPECT_EQ(lock.exit, 2);
  EXPECT_NE(lock.err.find("there is no dimension 'x'"), std::string::npos) << describe(lock);
  const Outcome target = mdh("tune matvec --size 8,8 --target reference --no-records");
  EXPECT_EQ(target.exit, 2);
  EXPECT_NE(target.err.find("not supported: tuning for target 'reference'"), std::string::npos)
      << describe(target);
}

}  // namespace
}  // namespace mdh::test::tune_cli_test
