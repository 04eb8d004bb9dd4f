#include "mdh/ll/grid_config.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_programs.h"

namespace mdh::ll::grid_config_test {
namespace {

const machine::Machine& gpu() { return machine::find_machine("gpu"); }

hl::Program matmul(int64_t i, int64_t j, int64_t k) {
  return computation(matmul_text, {{"I", i}, {"J", j}, {"K", k}});
}

/// Parts on a layer, of all dimensions or of one.
int64_t parts_on(const Config& c, const std::string& layer, const std::string& only = "") {
  int64_t product = 1;
  for (const auto& [dimension, digits] : c.split) {
    if (!only.empty() && dimension != only) continue;
    for (const Digit& digit : digits) product *= digit.layer == layer ? digit.parts : 1;
  }
  return product;
}

int64_t threads_of(const Config& c) { return parts_on(c, "WRP") * parts_on(c, "THR"); }

TEST(GridConfig, products_have_tiles_of_registers_and_copies_for_the_group) {
  const Config c = *grid_config(matmul(1024, 1024, 1024), gpu());
  EXPECT_EQ(threads_of(c), 256);
  EXPECT_GE(parts_on(c, "REG"), 16);
  EXPECT_GE(parts_on(c, "BLK"), 120) << "for every multiprocessor";
  EXPECT_EQ(c.order.at(c.order.size() - 4), (LevelName{"DEV", "k"})) << print(c);
  ASSERT_TRUE(c.stage.contains("A") && c.stage.contains("B")) << print(c);
  EXPECT_EQ(c.stage.at("A").front().region, "SM");
  EXPECT_EQ(c.acc.at("C").front().region, "RM");
  EXPECT_EQ(parts_on(c, "THR", "j"), 16) << "results of neighbouring threads lie side by side";
}

TEST(GridConfig, threads_share_the_sums_of_few_results_and_meet_in_steps) {
  const Config dot = *grid_config(computation(dot_text, {{"K", 1 << 24}}), gpu());
  EXPECT_EQ(threads_of(dot), 512);
  EXPECT_GE(parts_on(dot, "BLK"), 100);
  EXPECT_EQ(parts_on(dot, "VEC"), 2) << "16 bytes at once";
  EXPECT_EQ(dot.code.combine.at({"THR", "k"}), Combination::shuffle);
  EXPECT_EQ(dot.code.combine.at({"WRP", "k"}), Combination::team_tree);
  EXPECT_FALSE(dot.code.combine.contains({"BLK", "k"})) << "by groups, in a launch of its own";
  const Config without_warps =
      *grid_config(computation(dot_text, {{"K", 1 << 24}}), machine::find_machine("gpu_nowarp"));
  EXPECT_EQ(without_warps.code.combine.at({"THR", "k"}), Combination::team_tree);
  EXPECT_FALSE(without_warps.code.combine.contains({"BLK", "k"}));
  const Config odd = *grid_config(computation(dot_text, {{"K", (1 << 24) + 1}}), gpu());
  EXPECT_EQ(parts_on(odd, "VEC"), 1) << "the last ones would be too many";
  const Config matvec = *grid_config(computation(matvec_text, {{"I", 4096}, {"K", 4096}}), gpu());
  EXPECT_EQ(parts_on(matvec, "BLK", "i"), 4096);
  EXPECT_GE(parts_on(matvec, "THR", "k"), 32) << "they walk along the rows";
  EXPECT_EQ(matvec.acc.at("w").front().region, "SM");
}

/// Three layers of cores are no warps, and bytes are not read at once.
TEST(GridConfig, nobody_exchanges_what_is_not_private) {
  const auto several =
      grid_config(computation(dot_text, {{"K", 1 << 24}}), machine::find_machine("multi_gpu"));
  if (several) {
    for (const auto& [level, how] : several->code.combine) EXPECT_EQ(how, Combination::team_tree);
  }
  const std::string bytes =
      "sum<K: size> = out_view( s: i8 = [] ) * md_hom( k: K by pw(max) ) { s = x; }"
      " * inp_view( x: i8 = [k] )";
  EXPECT_EQ(parts_on(*grid_config(computation(bytes, {{"K", 1 << 24}}), gpu()), "VEC"), 1);
}

TEST(GridConfig, long_sums_of_few_results_are_shared_by_groups_too) {
  const Config c = *grid_config(matmul(1, 1000, 2048), gpu());
  EXPECT_GT(parts_on(c, "BLK", "k"), 1) << print(c);
  EXPECT_EQ(parts_on(c, "THR", "j"), 32) << "neighbouring threads read neighbouring elements";
}

/// What a device allows less of is asked for less, not given up.
TEST(GridConfig, small_groups_and_little_memory_have_smaller_tiles) {
  machine::Machine small = machine::find_machine("gpu_nowarp");
  for (machine::Region& region : small.regions) {
    if (region.name == "SM") region.capacity = 16 * 1024;
  }
  for (machine::Constraint& c : small.constraints) {
    auto* most = std::get_if<machine::PartsAtMost>(&c);
    if (most && most->layers == std::vector<std::string>{"THR"}) most->limit = 128;
  }
  const auto tiled = grid_config(matmul(4096, 4096, 64), small);
  ASSERT_TRUE(tiled);
  EXPECT_LE(parts_on(*tiled, "THR"), 128);
  EXPECT_TRUE(tiled->stage.contains("A")) << print(*tiled);
  const auto dot = grid_config(computation(dot_text, {{"K", 1 << 24}}), small);
  ASSERT_TRUE(dot);
  EXPECT_LE(parts_on(*dot, "THR"), 128);
  EXPECT_GE(parts_on(*dot, "THR"), 64) << print(*dot);
}

TEST(GridConfig, there_is_none_for_little_work_unknown_sizes_and_other_machines) {
  EXPECT_FALSE(grid_config(matmul(8, 8, 8), gpu()));
  EXPECT_FALSE(grid_config(matmul(64, 64, 64), machine::find_machine("cpu")));
  EXPECT_FALSE(grid_config(matmul(64, 64, 64), machine::find_machine("openmp")));
}

TEST(GridConfig, the_least_significant_digits_are_those_of_threads) {
  for (const char* machine : {"gpu", "gpu_nowarp"}) {
    for (const hl::Program& p : {matmul(100, 300, 500), matmul(16, 4096, 512)}) {
      const Config c = *grid_config(p, machine::find_machine(machine));
      EXPECT_EQ(c.layers.back(), "THR") << print(c);
      EXPECT_NO_THROW(validate(c, p, machine::find_machine(machine)));
    }
  }
}

}  // namespace
}  // namespace mdh::ll::grid_config_test
