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

TEST_F(Tune, writes_a_page_about_the_search) {
  const std::string page = folder_.path() / "x.html";
  const Outcome o = mdh("tune dot --size 100000 --budget 6 -q --no-records --report " + page);
  ASSERT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "report      " + page)) << describe(o);
  EXPECT_FALSE(contains(o.out, "recorded")) << describe(o);
  const std::string text = read_file(page);
  EXPECT_TRUE(text.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(text.ends_with("</html>\n"));
  for (const char* part :
       {"<h1>dot</h1>", "K = 100000", "Convergence", "Best decomposition", "estimated", "Roofline",
        "&quot;mdh_config&quot;: 1", "mdh run dot --size 100000 --config best.json"}) {
    EXPECT_TRUE(contains(text, part)) << part;
  }
}

TEST_F(Tune, names_of_files_are_quoted_and_escaped_on_the_page) {
  const std::string page = folder_.path() / "x.html";
  const std::string program = folder_.path() / "a<b>&'c'.mdh";
  write_file(program,
             "mdh 1\nprogram p = out_view( y: f32 = [i] ) * md_hom( i: 64 by cc ) { y = x + x; }"
             " * inp_view( x: f32 = [i] )\n");
  const Outcome o =
      mdh({"tune", program, "--budget", "2", "-q", "--records", file(), "--report", page});
  ASSERT_EQ(o.exit, 0) << describe(o);
  const std::string text = read_file(page);
  EXPECT_TRUE(
      contains(text, "a&lt;b&gt;&amp;&#39;\\&#39;&#39;c&#39;\\&#39;&#39;.mdh&#39; --records "));
  EXPECT_FALSE(contains(text, "a<b>"));
}

TEST_F(Tune, a_page_that_cannot_be_written_is_refused_before_the_search) {
  const std::string start = "tune matvec --size 8,8 --budget 2 --records " + file() + " --report ";
  for (const std::string& page :
       {std::string("/nonexistent/x.html"), folder_.path().string(), std::string("/dev/full")}) {
    const Outcome o = mdh(start + page);
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_TRUE(contains(o.err, "cannot write '" + page + "' [E002]")) << describe(o);
    EXPECT_FALSE(contains(o.err, "estimating")) << describe(o);
    EXPECT_FALSE(std::filesystem::exists(file()));
  }
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
