// Published decompositions and the configurations of fast kernels, run at their own sizes.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>

#include "examples/catalogue.h"
#include "mdh/driver/data.h"
#include "mdh/driver/run.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/runtime/opencl/device.h"
#include "mdh/support/files.h"

namespace mdh::test::known_configs_test {
namespace {

using scalar::Array;

struct Known {
  hl::Program program;
  machine::Machine machine;
  ll::Config config;
};

Known known(const std::string& file) {
  const auto path = std::filesystem::path(MDH_SOURCE_DIR) / "tests/golden/configs" / file;
  const ll::Config config = ll::parse_config(read_file(path), path.string());
  hl::Bindings arguments;
  for (const auto& [name, size] : config.sizes) arguments.sizes[name] = size;
  const hl::Program generic = examples::find_entry(config.program)->generic();
  return {hl::instantiate(generic, arguments), machine::find_machine(config.machine), config};
}

/// Sampled: corners, borders and random elements of the result are computed again.
void expect_right(const Known& k, const std::vector<Array>& inputs,
                  const std::vector<Array>& outputs) {
  const driver::Verification v = driver::verify_outputs(
      k.program, inputs, outputs, {.depth = driver::sequential_depth(k.program), .limit = 1});
  EXPECT_TRUE(v.right) << v.complaint;
}

driver::Executable compiled(const Known& k, const std::string& target) {
  return driver::compile(k.program, k.machine, k.config, driver::find_target(target));
}

class KnownOnOpenMP : public ::testing::TestWithParam<std::string> {};

TEST_P(KnownOnOpenMP, is_right) {
  const Known k = known(GetParam());
  const std::vector<Array> inputs = driver::random_inputs(k.program, 1);
  expect_right(k, inputs, driver::run_poisoned(compiled(k, "openmp"), inputs, 2));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, KnownOnOpenMP,
    ::testing::Values("pluto_matmul.json", "cpu/bmatmul.json", "cpu/ccsdt_gdab_efgc.json",
                      "cpu/ccsdt_gdab_efgc_16_cores.json", "cpu/conv2d_4096.json",
                      "cpu/jacobi3d_256.json", "cpu/matmul_1024.json", "cpu/matmul_10x500x64.json",
                      "cpu/matmul_16x1000x2048.json", "cpu/matmul_1x1000x2048.json",
                      "cpu/matvec_4096.json", "cpu/mcc_512.json", "cpu/mcc_resnet.json"),
    [](const auto& info) {
      std::string name = info.param.substr(0, info.param.find('.'));
      std::replace(name.begin(), name.end(), '/', '_');
      return name;
    });

/// Along the axes that its tags name.
TEST(KnownOnOpenCL, tvm_has_50_x_2_groups_of_20_x_4_items_and_28672_bytes_of_local_memory) {
  const Known k = known("tvm_matmul.json");
  const driver::Stages stages =
      driver::lower_all(k.program, k.machine, k.config, driver::find_target("opencl"), "tvm");
  ASSERT_EQ(stages.module.steps.size(), 1u);
  const auto& launch = std::get<kernel::Launch>(stages.module.steps[0].is);
  EXPECT_EQ(launch.groups, (std::array<int64_t, 3>{50, 2, 1}));
  EXPECT_EQ(launch.items, (std::array<int64_t, 3>{20, 4, 1}));
  int64_t local = 0;
  for (const loop::Buffer& b : stages.concrete.buffers) {
    if (b.scope == loop::Scope::group) local += loop::bytes_of(b);
  }
  EXPECT_EQ(local, 28672);
  EXPECT_EQ(launch.local_bytes, 28672);
  EXPECT_EQ(stages.module.workspace_bytes, 0);
}

TEST(KnownOnOpenCL, tvm_is_right) {
  try {
    runtime::opencl::devices();
  } catch (const Error& e) {
    GTEST_SKIP() << "SKIP: " << e.diagnostic().message;
  }
  const Known k = known("tvm_matmul.json");
  const std::vector<Array> inputs = driver::random_inputs(k.program, 1);
  expect_right(k, inputs, driver::run_poisoned(compiled(k, "opencl"), inputs, 1));
}

// ---- the same bits

Known with_cores(const std::string& program, const std::map<std::string, int64_t>& sizes,
                 int cores) {
  const hl::Program p = hl::instantiate(examples::find_entry(program)->generic(), {.sizes = sizes});
  const machine::Machine& cpu = machine::find_machine("cpu");
  return {p, cpu, ll::default_config(p, cpu, cores)};
}

/// Sums of floats depend on their order, and orders must not depend on threads.
void expect_same_bits(const Known& k) {
  const driver::Executable executable = compiled(k, "openmp");
  const std::vector<Array> inputs = driver::random_inputs(k.program, 1);
  const std::vector<Array> first = driver::run_poisoned(executable, inputs, 1);
  for (int round = 0; round < 100; ++round) {
    ASSERT_EQ(driver::run_poisoned(executable, inputs, 1 + round % 7), first) << "round " << round;
  }
}

TEST(Deterministic, reductions_over_cores) {
  expect_same_bits(with_cores("dot", {{"K", 10007}}, 7));
}
TEST(Deterministic, scans_on_cores) { expect_same_bits(with_cores("scan", {{"N", 1009}}, 7)); }
TEST(Deterministic, scans_of_reductions) {
  expect_same_bits(with_cores("mbbs", {{"I", 37}, {"J", 53}}, 5));
}
TEST(Deterministic, tiles_and_accumulators) {
  expect_same_bits(known("cpu/matmul_10x500x64.json"));
  expect_same_bits(known("cpu/matmul_1x1000x2048.json"));
}

// ---- mdh's own time

double milliseconds_to_source(const Known& k) {
  double least = 1e9;
  for (int n = 0; n < 5; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    driver::lower_all(k.program, k.machine, k.config, driver::find_target("openmp"), "k");
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

TEST(TimeToSource, of_matmul_is_below_10_ms) {
  const double time = milliseconds_to_source(known("cpu/matmul_1024.json"));
  fmt::print("matmul: {:.2f} ms from configuration to source\n", time);
  EXPECT_LT(time, 10 * 10) << "ten times as long, for slow and busy machines";
}

TEST(TimeToSource, of_mcc_capsule_is_below_50_ms) {
  const double time = milliseconds_to_source(with_cores("mcc_capsule", {}, 2));
  fmt::print("mcc_capsule: {:.2f} ms from configuration to source\n", time);
  EXPECT_LT(time, 5 * 50) << "five times as long, for slow machines";
}

}  // namespace
}  // namespace mdh::test::known_configs_test
