#include "bench/gpu/recording.h"

#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "bench/gpu/table.h"
#include "mdh/support/diagnostic.h"

namespace mdh::bench::gpu::recording_test {
namespace {

using runtime::Caches;

Entry measured(const std::string& name, PeerKind kind, std::vector<double> warm,
               std::vector<double> cold) {
  Entry entry{.name = name, .kind = kind, .standing = Standing::measured, .about = "default"};
  entry.note = kind == PeerKind::library ? name + " 1.0" : "";
  entry.verified = "full";
  entry.is_exact = true;
  entry.deviation = 2e-5;
  entry.warm_us = std::move(warm);
  entry.cold_us = std::move(cold);
  return entry;
}

Recording example() {
  Recording recording{.version = "1.2.3", .date = "today", .command = "mdh bench gpu"};
  recording.device = "A GPU";
  recording.driver = "sm_90, CUDA 13.0";
  recording.host = "a cpu, 2 cores";
  recording.rounds = 3;
  Row row{.name = "dot", .title = "Dot 2^24", .program = "dot", .sizes = {{"K", 1 << 24}}};
  row.operations = 3e7;
  row.bytes = 1e8;
  row.largest = 77;
  row.entries = {
      measured("mdh", PeerKind::mdh, {30, 32, 31}, {40, 40, 40}),
      measured("mdh opencl", PeerKind::other_target, {10, 10, 10}, {}),
      measured("cublas", PeerKind::library, {60, 32, 62}, {44, 44, 44}),
      measured("torch", PeerKind::library, {45, 48, 31}, {50, 50, 50}),
      {.name = "jax", .note = "not installed: No module named 'jax'"},
      {.name = "mine", .kind = PeerKind::user, .standing = Standing::wrong, .note = "element 3"}};
  row.entries[0].config_hash = "0123456789abcdef";
  row.entries[2].is_exact = false;
  row.entries[3].deviation = std::nullopt;
  row.entries[3].sampled_deviation = 3e-6;
  recording.rows = {row};
  return recording;
}

TEST(Recording, comes_back_from_json) {
  const std::string text = to_json(example());
  EXPECT_EQ(to_json(recording_from(text, "f.json")), text);
  const nlohmann::json out = nlohmann::json::parse(text);
  EXPECT_EQ(out["schema"], "mdh_bench_gpu 1");
  const nlohmann::json mdh = out["workloads"][0]["candidates"][0];
  EXPECT_EQ(mdh["config_hash"], "0123456789abcdef");
  EXPECT_DOUBLE_EQ(mdh["warm"]["median_us"], 31);
  EXPECT_DOUBLE_EQ(mdh["warm"]["quartiles_us"][0], 30.5);
  EXPECT_DOUBLE_EQ(mdh["max_deviation_from_f64"], 2e-5);
}

TEST(Recording, what_is_no_number_comes_back_as_well) {
  Recording recording = example();
  recording.rows[0].entries[0].deviation = INFINITY;
  const Recording read = recording_from(to_json(recording), "f.json");
  EXPECT_EQ(read.rows[0].entries[0].deviation, INFINITY);
}

TEST(Recording, another_file_is_refused_with_its_name) {
  for (const std::string text : {"", "[1]", "{\"schema\": \"mdh_bench 1\"}",
                                 "{\"schema\": \"mdh_bench_gpu 1\"}", "{\"schema\": 7}"}) {
    try {
      recording_from(text, "other.json");
      FAIL() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.diagnostic().code, "E850") << text;
      EXPECT_EQ(e.diagnostic().message.find("'other.json' is not what"), 0u);
    }
  }
}

TEST(Recording, last_file_wins) {
  Recording newer = example();
  newer.rows[0].title = "newer";
  newer.rows.push_back(newer.rows[0]);
  newer.rows[1].name = "another";
  const std::vector<Row> rows = rows_of({example(), newer});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].title, "newer");
  EXPECT_EQ(rows[1].name, "another");
}

TEST(Table, best_peer_is_the_fastest_library) {
  const Row row = example().rows[0];
  EXPECT_EQ(best_peer(row, Caches::warm)->name, "torch");
  EXPECT_EQ(best_peer(row, Caches::cold)->name, "cublas");
  EXPECT_DOUBLE_EQ(ratio(row, row.entries[3], Caches::warm), 1.5);
  EXPECT_EQ(ratio(row, row.entries[1], Caches::cold), 0) << "was not measured";
  EXPECT_NEAR(mean_over_best_peers({row, row}, Caches::cold), 1.1, 1e-9);
}

TEST(Table, shows_warm_and_cold_caches) {
  EXPECT_EQ(to_table({example()}),
            R"(mdh 1.2.3, today, A GPU (sm_90, CUDA 13.0), a cpu, 2 cores; 3 rounds

warm caches
workload  mdh us  best peer    us  peer / mdh  deviation  of the peer
Dot 2^24    31.0      torch  45.0        1.50    2.0e-05     ~3.0e-06
geometric mean over the best peers: 1.50

us         mdh  mdh opencl  cublas  torch     jax   mine
Dot 2^24  31.0        10.0    60.0   45.0  absent  wrong

cold caches
workload  mdh us  best peer    us  peer / mdh  deviation  of the peer
Dot 2^24    40.0     cublas  44.0        1.10    2.0e-05      2.0e-05
geometric mean over the best peers: 1.10

us         mdh  mdh opencl  cublas  torch     jax   mine
Dot 2^24  40.0           -    44.0   50.0  absent  wrong

peer / mdh: time of the peer / time of mdh; deviation: the largest one from a result in f64,
with ~ of samples only

mdh: default
mdh opencl: default
cublas: cublas 1.0; rounds on whole numbers
torch: torch 1.0
jax: not installed: No module named 'jax'
mine: wrong result: element 3
)");
}

TEST(Table, marks_a_default_that_ran_instead_of_a_refused_configuration) {
  Recording recording = example();
  recording.rows[0].entries[1].about = "default (its own was refused: too much memory [E349])";
  const std::string table = to_table({recording});
  EXPECT_NE(table.find("31.0       10.0*    60.0"), std::string::npos) << table;
  EXPECT_NE(table.find("*: the default, because the configuration for this workload was refused\n"),
            std::string::npos);
}

}  // namespace
}  // namespace mdh::bench::gpu::recording_test
