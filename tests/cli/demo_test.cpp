// scripts/demo.sh, but for packages and the build: tunes once, and compares.
#include <gtest/gtest.h>

#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/runtime/testing.h"
#include "mdh/tune/database.h"
#include "tests/cli/tool.h"

namespace mdh::test::demo_test {
namespace {

using runtime::ScopedEnvironment;

class Demo : public ::testing::Test {
 protected:
  static Outcome demo() { return run_command({"bash", MDH_SOURCE_DIR "/scripts/demo.sh"}); }
  static size_t records() {
    return tune::Database(tune::Database::file_of_user()).load().records.size();
  }

  TemporaryDirectory home_;
  const ScopedEnvironment data_{"XDG_DATA_HOME", home_.path().string()};
  const ScopedEnvironment tool_{"MDH_DEMO_TOOL", MDH_TOOL};
  const ScopedEnvironment budget_{"MDH_DEMO_BUDGET", "3"};
  const ScopedEnvironment peers_{"MDH_DEMO_PEERS", "gcc,onemkl"};
};

TEST_F(Demo, second_run_finds_the_record_and_does_not_tune) {
  const ScopedEnvironment size("MDH_DEMO_SIZE", "16,32,64");  // of suite tiny
  const Outcome first = demo();
  ASSERT_EQ(first.exit, 0) << describe(first);
  EXPECT_TRUE(contains(first.err, "==> tuning matmul 16,32,64 for this machine, budget 3\n"));
  EXPECT_TRUE(contains(first.out, "tried       3 configurations")) << first.out;
  EXPECT_EQ(records(), 3u);

  const Outcome second = demo();
  ASSERT_EQ(second.exit, 0) << describe(second);
  EXPECT_TRUE(contains(second.err, "==> tuned before, nothing to tune: record: ")) << second.err;
  EXPECT_FALSE(contains(second.err, "$ mdh tune")) << second.err;
  EXPECT_EQ(records(), 3u);

  for (const Outcome& o : {first, second}) {
    EXPECT_TRUE(contains(o.out, "\nmdh: record (")) << "compared with what was tuned\n" << o.out;
    EXPECT_TRUE(contains(o.out, "\nworkload ")) << o.out;
    // Libraries are there, or it is said that they are not.
    const bool has_absent = contains(o.out, "absent");
    EXPECT_EQ(has_absent, contains(o.out, ": not installed (")) << o.out;
  }
  const ScopedEnvironment again("MDH_DEMO_RETUNE", "1");
  EXPECT_EQ(demo().exit, 0);
  EXPECT_EQ(records(), 6u);
}

TEST_F(Demo, sizes_without_a_workload_are_compared_with_the_plain_loop) {
  const ScopedEnvironment size("MDH_DEMO_SIZE", "5,6,7");
  const Outcome o = demo();
  ASSERT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "'mdh bench' has no matmul 5,6,7")) << o.err;
  EXPECT_TRUE(contains(o.out, "plain loop")) << o.out;
}

TEST_F(Demo, a_gpu_is_tuned_for_and_compared_on_as_well) {
  const runtime::cuda::HostGpu gpu;
  const ScopedEnvironment size("MDH_DEMO_SIZE", "16,32,64");
  const Outcome first = demo();
  ASSERT_EQ(first.exit, 0) << describe(first);
  EXPECT_TRUE(contains(first.err, "==> tuning matmul 16,32,64 for its GPU, budget 3\n"))
      << first.err;
  EXPECT_TRUE(contains(first.err, "bench gpu --workloads tiny_matmul --configs tuned"))
      << first.err;
  EXPECT_TRUE(contains(first.out, "Fake GPU")) << first.out;
  // This is what a second run asks for.
  EXPECT_EQ(mdh("records best matmul --size 16,32,64 --target cuda").exit, 0);
}

TEST_F(Demo, mistakes_end_it) {
  const ScopedEnvironment size("MDH_DEMO_SIZE", "many");
  EXPECT_EQ(demo().exit, 2);
}

}  // namespace
}  // namespace mdh::test::demo_test
