// mdh tune: finds, records, resumes, and says what is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
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

  std::vector<json> records() const {
    std::vector<json> all;
    for (const std::string& line : split(read_file(file()), '\n')) {
      if (!line.empty()) all.push_back(json::parse(line));
    }
    return all;
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

/// A device of its own, where there is one: with its identity in the records.
TEST_F(Tune, for_a_device_finds_and_records_and_run_uses_the_best) {
  if (!contains(mdh("devices").out, "opencl:0")) GTEST_SKIP() << "SKIP: no OpenCL device";
  const std::string matmul = "matmul --size 32,32,32 --target opencl --records " + file();
  const std::string page = folder_.path() / "page.html";
  const Outcome tuned = mdh("tune " + matmul + " --budget 2 --json -q --report " + page);
  ASSERT_EQ(tuned.exit, 0) << describe(tuned);
  const json report = json::parse(tuned.out, nullptr, false);
  EXPECT_EQ(report.value("evaluations", 0), 2);
  EXPECT_EQ(report.value("verified", ""), "full");
  EXPECT_TRUE(contains(read_file(page), "<h1"));
  EXPECT_FALSE(contains(read_file(page), "estimated"));
  ASSERT_EQ(lines(), 2U);
  const std::string listed = mdh("devices").out;
  for (const json& record : records()) {
    EXPECT_EQ(record["target"], "opencl");
    const auto model = record["machine"]["model"].get<std::string>();
    EXPECT_TRUE(contains(listed, model)) << model;
    EXPECT_TRUE(contains(record["machine"]["isa"].get<std::string>(), "OpenCL")) << record;
  }
  const Outcome run = mdh("run " + matmul + " --json -q");
  ASSERT_EQ(run.exit, 0) << describe(run);
  EXPECT_EQ(json::parse(run.out, nullptr, false).value("config_source", ""), "record");
  // The same program on the CPU knows nothing of them.
  const Outcome cpu = mdh("run matmul --size 32,32,32 --json -q --records " + file());
  EXPECT_EQ(json::parse(cpu.out, nullptr, false).value("config_source", ""), "default");
}

TEST_F(Tune, does_not_work_for_what_is_not_compiled) {
  const Outcome o = mdh("tune matvec --size 8,8 --target reference -q");
  EXPECT_EQ(o.exit, 2);
  EXPECT_TRUE(contains(o.err, "not supported: tuning for target 'reference' [E883]")) << o.err;
  EXPECT_TRUE(contains(o.err, "--target openmp")) << o.err;
}

TEST_F(Tune, a_second_search_goes_on_where_the_first_one_ended) {
  const std::string line = "tune matvec --size 64,128 --records " + file() + " --budget 4 -q";
  ASSERT_EQ(mdh(line).exit, 0);
  ASSERT_EQ(mdh(line).exit, 0);
  EXPECT_EQ(lines(), 8U);
  // No configuration was tried twice, but for those whose times others disturbed.
  std::set<std::string> known;
  for (const json& record : records()) {
    const std::string config = record.at("config").dump();
    EXPECT_FALSE(known.contains(config)) << config;
    if (record.value("load", 0.0) <= 0.1) known.insert(config);
  }
}

TEST_F(Tune, claims_no_gain_without_a_final) {
  const std::string line = "tune matvec --size 64,128 --budget 4 -q --no-records";
  const Outcome words = mdh(line);
  ASSERT_EQ(words.exit, 0) << describe(words);
  EXPECT_TRUE(contains(words.out, "gain        not known: the budget is too small for a final\n"))
      << words.out;
  const json report = json::parse(mdh(line + " --json").out, nullptr, false);
  EXPECT_FALSE(report.contains("gain")) << report;
  EXPECT_FALSE(report.contains("untuned_us")) << report;
  EXPECT_EQ(report.value("no_gain_because", ""), "the budget is too small for a final");
}

TEST_F(Tune, gain_is_over_what_runs_without_records_and_the_winner_is_what_run_uses) {
  // The space ends before the budget, so that there is a final.
  const std::string matvec = "matvec --size 1,1 --records " + file();
  const Outcome tuned = mdh("tune " + matvec + " --restricted --budget 10m --json -q");
  ASSERT_EQ(tuned.exit, 0) << describe(tuned);
  const json report = json::parse(tuned.out, nullptr, false);
  ASSERT_TRUE(report.contains("gain")) << report;
  std::vector<json> in_final, won;
  for (const json& record : records()) {
    if (record.contains("final")) in_final.push_back(record);
    if (record.value("final", "") == "won") won.push_back(record);
  }
  ASSERT_EQ(won.size(), 1U);
  const bool is_slower = report["gain"].get<double>() < 1;  // because it is restricted
  EXPECT_EQ(won[0]["time_us"]["median"], report[is_slower ? "untuned_us" : "best_us"]);
  // The untuned choice names neither compiler nor flags.
  const json& untuned = in_final.front();
  EXPECT_FALSE(contains(untuned["config"].dump(), "compiler")) << untuned;
  EXPECT_EQ(untuned["time_us"]["median"], report["untuned_us"]);
  const bool untuned_wins = won[0]["config"] == untuned["config"];
  EXPECT_TRUE(!untuned_wins || is_slower || report["gain"] == 1.0) << report;
  const Outcome best = mdh("records best " + matvec + " --json");
  EXPECT_EQ(json::parse(best.out, nullptr, false)["final"], "won") << describe(best);
}

TEST_F(Tune, a_record_of_a_neighbouring_size_is_not_preferred_to_what_is_faster) {
  // What was compared once is remembered.
  const runtime::ScopedEnvironment cache("MDH_CACHE", folder_.path() / "cache");
  // What is estimated to be much slower is not compared: that must not depend on the machine.
  const runtime::ScopedEnvironment rates("MDH_RATES", "typical");
  // Two threads that other programs disturb may be slower than one.
  const std::string one = " --threads 1 --records " + file();
  ASSERT_EQ(mdh("tune matvec --size 1200,832 --budget 1 -q" + one).exit, 0);
  // As if the best of that size were slow code.
  json record = records().front();
  record["config"]["code"]["kernel"] = {{"compiler", "gcc"}, {"flags", {"-O0"}}};
  record["time_us"]["median"] = 0.001;
  record.erase("load");
  write_file(file(), record.dump() + "\n");
  const Outcome o = mdh("run matvec --size 1200,768 --json" + one);
  ASSERT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "comparing the model's choice with the best one of a neighbouring"))
      << o.err;
  EXPECT_EQ(json::parse(o.out, nullptr, false).value("config_source", ""), "model");
  const Outcome without = mdh("run matvec --size 1200,768 --json --no-records");
  EXPECT_FALSE(contains(without.err, "comparing")) << without.err;
}

TEST_F(Tune, program_without_dimensions_has_one_configuration_or_few) {
  const std::string program = folder_.path() / "point.mdh";
  write_file(program,
             "mdh 1\nprogram p = out_view( y: f32 = [] ) * md_hom( ) { y = 1.5; } * inp_view( )");
  const Outcome o = mdh("tune " + program + " --budget 3 -q --no-records");
  EXPECT_EQ(o.exit, 0) << describe(o);
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
  const Outcome edge = mdh("tune matvec --size 8,8 --lock edge.i=sharp --no-records");
  EXPECT_EQ(edge.exit, 2);
  EXPECT_NE(edge.err.find("it is one of auto, clamp, pad, mask, overlap [E882]"), std::string::npos)
      << describe(edge);
  const Outcome target = mdh("tune matvec --size 8,8 --target reference --no-records");
  EXPECT_EQ(target.exit, 2);
  EXPECT_NE(target.err.find("not supported: tuning for target 'reference'"), std::string::npos)
      << describe(target);
}

}  // namespace
}  // namespace mdh::test::tune_cli_test
