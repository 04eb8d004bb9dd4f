#include "bench/model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "examples/catalogue.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"

namespace mdh::bench::model_test {
namespace {

Ranked measured(double estimate_us, double time_us) {
  return {.estimate_us = estimate_us, .timing = {.median_us = time_us, .count = 3}};
}

Ranked failed(double estimate_us, const std::string& kind, const std::string& reason) {
  return {.estimate_us = estimate_us, .outcome = kind, .reason = reason};
}

ModelReport report() {
  ModelReport all{.program = "matmul", .sizes = "I=8 J=9 K=7", .version = "1.2.3"};
  all.machine = {.cpu = "a cpu", .kind = "neon", .cores = 2, .system = "Linux", .date = "today"};
  all.compiler = "clang -O1";
  all.rates = "typical";
  all.threads = 2;
  all.seed = 7;
  all.asked = 8;
  all.configs = {measured(10, 10),
                 failed(1, "compile_timeout", "took more than 8 s"),
                 measured(20, 40),
                 measured(90, 30),
                 failed(2, "wrong", "C[0] is 1\nand not 2"),
                 measured(100, 50),
                 failed(3, "compile_timeout", "took more than 8 s, too")};
  return all;
}

TEST(Model, only_what_was_measured_is_ranked) {
  EXPECT_EQ(measured_count(report()), 4u);
  // Ranks 1, 2, 3, 4 against 1, 3, 2, 4.
  EXPECT_DOUBLE_EQ(rank_correlation(report()).value(), 0.8);
  EXPECT_EQ(estimate_ratios(report()), (std::vector<double>{1, 0.5, 3, 2}));
}

TEST(Model, failures_are_counted_by_kind) {
  const std::map<std::string, size_t> expected = {{"compile_timeout", 2}, {"wrong", 1}};
  EXPECT_EQ(failures(report()), expected);
}

TEST(Model, table_has_all_counts) {
  EXPECT_EQ(
      to_table(report()),
      R"(the model on 7 configurations of matmul I=8 J=9 K=7, seed 7, 2 threads, mdh 1.2.3, today
a cpu, 2 cores, neon, Linux
compiled by clang -O1; rates of the model: typical

drawn             7 of 8: no more were found
measured          4
failed            3
  2 compile_timeout, the first: took more than 8 s
  1 wrong, the first: C[0] is 1
rank correlation  0.800
estimate / time   median 1.5, quartiles 0.875 and 2.25
)");
}

TEST(Model, without_measurements_there_are_no_numbers) {
  ModelReport none = report();
  none.configs = {failed(1, "crash", "signal 11")};
  EXPECT_NE(to_table(none).find("rank correlation  -\nestimate / time   -\n"), std::string::npos)
      << to_table(none);
  const nlohmann::json out = nlohmann::json::parse(to_json(none));
  EXPECT_TRUE(out["rank_correlation"].is_null());
  EXPECT_TRUE(out["estimate_ratio"].is_null());
  EXPECT_EQ(out["configs"][0]["reason"], "signal 11");
}

TEST(Model, json_has_every_configuration) {
  const nlohmann::json out = nlohmann::json::parse(to_json(report()));
  EXPECT_EQ(out["schema"], "mdh_bench_model 1");
  EXPECT_EQ(out["asked"], 8);
  EXPECT_EQ(out["drawn"], 7);
  EXPECT_EQ(out["measured"], 4);
  EXPECT_EQ(out["failures"]["compile_timeout"], 2);
  EXPECT_DOUBLE_EQ(out["estimate_ratio"]["median"], 1.5);
  ASSERT_EQ(out["configs"].size(), 7u);
  EXPECT_DOUBLE_EQ(out["configs"][2]["estimate_us"], 20);
  EXPECT_DOUBLE_EQ(out["configs"][2]["time_us"], 40);
  EXPECT_EQ(out["configs"][2]["outcome"], "ok");
  EXPECT_TRUE(out["configs"][4]["time_us"].is_null());
  EXPECT_TRUE(out["configs"][4]["config"].is_object());
}

ModelOptions options_for(int64_t i, int64_t j, int64_t k) {
  ModelOptions options;
  options.program = examples::find_entry("matmul")->build({scalar::Scalar::f32, {i, j, k}});
  options.sizes = fmt::format("I={} J={} K={}", i, j, k);
  options.candidates.machine = machine::find_machine("cpu");
  return options;
}

const std::string stored = MDH_SOURCE_DIR "/bench/model_times/matmul_512_avx512.json";

/// Two hundred random configurations of MatMul 512^3, with times of one machine and its rates then.
/// Whoever changes the model sees here whether it got worse.
TEST(Model, ranks_stored_times_as_well_as_before) {
  const ModelReport again = estimated_again(stored, options_for(512, 512, 512));
  EXPECT_EQ(again.configs.size(), 200u);
  EXPECT_EQ(measured_count(again), 193u);
  EXPECT_GT(rank_correlation(again).value(), 0.63);
  EXPECT_EQ(to_table(again).find("speed"), std::string::npos) << "nothing was measured";
}

TEST(Model, stored_times_are_those_of_one_size) {
  const Diagnostic d = diagnostic_of([] { estimated_again(stored, options_for(512, 512, 256)); });
  EXPECT_EQ(d.code, "E849");
  EXPECT_NE(d.message.find("it is about 'I=512 J=512 K=512', not 'I=512 J=512 K=256'"),
            std::string::npos)
      << d.message;
}

TEST(Model, report_comes_back_from_its_file) {
  ModelReport written = report();
  for (Ranked& ranked : written.configs) {
    ranked.config.program = "matmul";
    ranked.config.layers = {"L1"};
  }
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "report.json";
  write_file(file, to_json(written));
  const ModelReport read = estimated_again(file, options_for(8, 9, 7));
  EXPECT_EQ(read.configs.size(), 7u);
  EXPECT_EQ(read.configs[2].timing.median_us, 40);
  EXPECT_EQ(failures(read), failures(written));
  EXPECT_EQ(read.rate_values, written.rate_values);
  EXPECT_EQ(read.machine.kind, "neon");
}

}  // namespace
}  // namespace mdh::bench::model_test
