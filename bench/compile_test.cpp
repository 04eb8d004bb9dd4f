#include "bench/compile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mdh::bench::compile_test {
namespace {

CompileReport report() {
  CompileReport all{.workload = "matmul_1024", .version = "1.2.3"};
  all.machine = {.cpu = "a cpu", .kind = "neon", .cores = 2, .system = "Linux", .date = "today"};
  all.variants = {"i 8, j 2", "i 4, j 2"};
  all.source_bytes = {9000, 6000};
  all.ways = {{"gcc -O2, one each", "gcc -O2", "", {0.2, 0.4, 0.2}},
              {"gcc -O1, all in one", "gcc -O1", "", {0.12, 0.24, 0.14}},
              {"clang -O1, all in one", "clang -O1", "", {0.08, 0.16, 0.1}},
              {"tcc, all in one", "", "no compiler 'tcc'", {}}};
  return all;
}

TEST(Compile, ratios_are_medians_over_rounds) {
  const CompileReport all = report();
  EXPECT_DOUBLE_EQ(ratio(all, all.ways[0]), 1);
  EXPECT_DOUBLE_EQ(ratio(all, all.ways[1]), 0.6);
  EXPECT_DOUBLE_EQ(ratio(all, all.ways[3]), 0) << "was not measured";
}

TEST(Compile, table_names_the_cheapest_way_and_the_target) {
  EXPECT_EQ(to_table(report()), R"(compiling 2 variants of matmul_1024, mdh 1.2.3, today
a cpu, 2 cores, neon, Linux

way                    CPU ms per variant  ratio
gcc -O2, one each                   200.0   1.00
gcc -O1, all in one                 140.0   0.60
clang -O1, all in one               100.0   0.40
tcc, all in one                    absent      -

cheapest: clang -O1, all in one, 0.40 of gcc -O2, one each; the target, at most 0.50, is reached

variants (register tiles): i 8, j 2; i 4, j 2
source: 6000 to 9000 bytes each
gcc -O2, one each: gcc -O2
gcc -O1, all in one: gcc -O1
clang -O1, all in one: clang -O1
tcc, all in one: no compiler 'tcc'
)");
}

TEST(Compile, json_has_every_round) {
  const nlohmann::json out = nlohmann::json::parse(to_json(report()));
  EXPECT_EQ(out["schema"], "mdh_bench_compile 1");
  EXPECT_EQ(out["cheapest"], "clang -O1, all in one");
  EXPECT_DOUBLE_EQ(out["cheapest_ratio"], 0.4);
  EXPECT_EQ(out["ways"][1]["round_cpu_seconds"].size(), 3u);
}

}  // namespace
}  // namespace mdh::bench::compile_test
