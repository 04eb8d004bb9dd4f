#include "bench/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mdh::bench::report_test {
namespace {

Measured measured(const std::string& name, PeerKind kind, std::vector<double> rounds) {
  Measured one{.candidate = {.name = name, .kind = kind}, .standing = Standing::measured};
  one.candidate.about = "about " + name;
  one.round_us = std::move(rounds);
  return one;
}

Measured absent(const std::string& name) {
  return {.candidate = {.name = name}, .standing = Standing::absent, .note = "not installed (x)"};
}

Result dot_result() {
  Result result{.workload = {"dot", "Dot 1000", "dot", {1000}, Rate::gbs},
                .sizes = {{"K", 1000}},
                .operations = 2000,
                .bytes = 8000};
  result.candidates = {measured("mdh", PeerKind::mdh, {1, 2, 4}),
                       measured("openblas", PeerKind::library, {3, 6, 8}),
                       measured("gcc", PeerKind::plain, {2, 4, 8}),
                       measured("prototype", PeerKind::prototype, {1, 1, 2}), absent("blis")};
  return result;
}

Report report_of(std::vector<Result> results) {
  Report report{.suite = "cpu", .version = "1.2.3", .threads = 2, .rounds = 3};
  report.machine = {.cpu = "Some CPU",
                    .kind = "neon",
                    .cores = 2,
                    .system = "Linux",
                    .compilers = {"gcc 12"},
                    .date = "2026-01-01"};
  report.results = std::move(results);
  return report;
}

TEST(Report, best_peer_is_the_one_that_is_hardest_to_beat) {
  const Result result = dot_result();
  ASSERT_NE(best_peer(result), nullptr);
  EXPECT_EQ(best_peer(result)->candidate.name, "gcc");  // the prototype is faster, but ours
  EXPECT_EQ(ratio(result, *best_peer(result)), 2);
}

TEST(Report, wrong_peer_is_not_ranked_and_has_no_ratio) {
  Result result = dot_result();
  result.candidates[2] = {.candidate = {.name = "gcc", .kind = PeerKind::plain},
                          .standing = Standing::wrong,
                          .note = "C is 1, expected 2"};
  EXPECT_EQ(best_peer(result)->candidate.name, "openblas");
  const std::string table = to_table(report_of({result}));
  EXPECT_NE(table.find("gcc: wrong result: C is 1, expected 2"), std::string::npos) << table;
  const auto json = nlohmann::json::parse(to_json(report_of({result})));
  EXPECT_EQ(json["workloads"][0]["candidates"][2]["standing"], "wrong");
  EXPECT_FALSE(json["workloads"][0]["candidates"][2].contains("time_us"));
}

TEST(Report, nothing_is_compared_with_a_wrong_result_of_mdh) {
  Result result = dot_result();
  result.candidates[0].standing = Standing::wrong;
  result.candidates[0].round_us.clear();
  EXPECT_EQ(best_peer(result), nullptr);
  EXPECT_EQ(mean_over_best_peers({result}), 0);
  EXPECT_NE(to_table(report_of({result})).find("Dot 1000  wrong"), std::string::npos);
}

TEST(Report, table_has_rates_ratios_and_marks) {
  EXPECT_EQ(to_table(report_of({dot_result()})),
            "suite cpu, mdh 1.2.3, 2026-01-01\n"
            "Some CPU, 2 cores, neon, Linux; 2 threads, 3 rounds\n"
            "gcc 12\n"
            "\n"
            "workload       mdh  openblas    blis    gcc  prototype\n"
            "Dot 1000  4.0 GB/s      3.00  absent  2.00*       0.50\n"
            "\n"
            "geometric mean over the best peers: 2.00\n"
            "\n"
            "time of the peer / time of mdh; * best peer (prototypes and your own files are not "
            "ranked)\n"
            "\n"
            "mdh: about mdh\n"
            "openblas: about openblas\n"
            "gcc: about gcc\n"
            "prototype: about prototype\n"
            "blis: not installed (x)\n");
}

TEST(Report, peers_that_do_not_compute_a_workload_are_a_dash) {
  Result other = dot_result();
  other.workload.title = "Other";
  other.workload.name = "other";
  other.candidates.resize(1);
  const std::string table = to_table(report_of({dot_result(), other}));
  EXPECT_NE(table.find("Other     4.0 GB/s         -"), std::string::npos) << table;
  EXPECT_NE(table.find("gcc: about gcc (dot)\n"), std::string::npos) << table;
  EXPECT_NE(table.find("mdh: about mdh\n"), std::string::npos) << table;
}

TEST(Report, disturbed_rounds_are_marked_and_said) {
  Result result = dot_result();
  result.disturbed = 2;
  result.repeated = 5;
  result.foreign = 0.5;
  const std::string table = to_table(report_of({result}));
  EXPECT_NE(table.find("Dot 1000 !"), std::string::npos) << table;
  EXPECT_NE(table.find("do not trust rows with !: others used up to 50 % of the machine; 5 rounds "
                       "were repeated, 2 count nevertheless"),
            std::string::npos)
      << table;
}

TEST(Report, json_has_every_round) {
  const auto json = nlohmann::json::parse(to_json(report_of({dot_result()})));
  EXPECT_EQ(json["schema"], "mdh_bench 1");
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["machine"]["cpu"], "Some CPU");
  EXPECT_EQ(json["geometric_mean_over_best_peers"], 2);
  const auto& workload = json["workloads"][0];
  EXPECT_EQ(workload["best_peer"], "gcc");
  EXPECT_EQ(workload["sizes"]["K"], 1000);
  const auto& gcc = workload["candidates"][2];
  EXPECT_EQ(gcc["ratio"], 2);
  EXPECT_EQ(gcc["time_us"], 4);
  EXPECT_EQ(gcc["round_us"], nlohmann::json({2, 4, 8}));
  EXPECT_FALSE(workload["candidates"][4].contains("ratio"));
}

}  // namespace
}  // namespace mdh::bench::report_test
