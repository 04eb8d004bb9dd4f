#include "mdh/tuning/without_spills.h"

#include <gtest/gtest.h>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/runtime/cuda/nvrtc.h"
#include "mdh/runtime/cuda/places.h"
#include "mdh/runtime/testing.h"
#include "mdh/tuning/model_choice.h"

namespace mdh::tuning::without_spills_test {
namespace {

hl::Program product(int64_t size) {
  return hl::instantiate(
      hl::parse("mdh 1\nprogram product<N: size> = out_view( C: f32 = [i, j] )"
                " * md_hom( i: N by cc, j: N by cc, k: N by pw(add) ) { C = A * B; }"
                " * inp_view( A: f32 = [i, k]; B: f32 = [k, j] )"),
      {.sizes = {{"N", size}}});
}

/// Threads with so many results each, which shall stay in registers.
ll::Config with_results(int64_t rows, int64_t columns) {
  return ll::parse_config(fmt::format(
      R"({{"mdh_config": 1, "layers": ["BLK", "SHR", "REG", "THR"],
      "split": {{"i": ["BLK {}", "REG {}"], "j": ["BLK {}", "REG {}", "THR 32"], "k": ["SHR 512"]}},
      "order": ["BLK.i", "BLK.j", "THR.j", "SHR.k", "REG.i", "REG.j"],
      "acc": {{"C": [{{"inside": "SHR.k", "region": "RM"}}]}}}})",
      512 / rows, rows, 16 / columns, columns));
}

const machine::Machine& gpu() { return machine::find_machine("gpu"); }

class WithoutSpills : public testing::Test {
 protected:
  void SetUp() override {
    const bool is_there = runtime::cuda::find_nvrtc() || !runtime::cuda::find_nvcc().empty();
    if (!is_there) GTEST_SKIP() << "SKIP: there is no compiler for CUDA";
  }

  static size_t first(const std::vector<ll::Config>& configs) {
    return first_without_spills(product(512), gpu(), configs, driver::find_target("cuda"), "");
  }

  runtime::ScopedEnvironment arch_{"MDH_CUDA_ARCH", "sm_90"};
  runtime::ScopedEnvironment worker_{"MDH_WORKER", MDH_WORKER_FILE};
};

TEST_F(WithoutSpills, the_first_that_fits_wins) {
  const ll::Config small = with_results(4, 2), other = with_results(2, 4);
  const ll::Config huge = with_results(16, 16);  // 256 results of a thread, 255 registers
  EXPECT_EQ(first({small, huge, other}), 0U);
  EXPECT_EQ(first({huge, small, other}), 1U);
  EXPECT_EQ(first({huge, huge, other, small}), 2U);
}

TEST_F(WithoutSpills, among_those_that_spill_the_least_one_wins) {
  EXPECT_EQ(first({with_results(32, 16), with_results(16, 16)}), 1U);
}

TEST_F(WithoutSpills, what_is_not_valid_does_not_count) {
  ll::Config wrong = with_results(4, 2);
  wrong.order.pop_back();
  EXPECT_EQ(first({wrong, with_results(4, 2)}), 1U);
}

TEST_F(WithoutSpills, compilers_have_a_say_in_the_choice_for_a_gpu) {
  const hl::Program p = product(512);
  const driver::Target& cuda = driver::find_target("cuda");
  EXPECT_TRUE(may_choose_by_model(p, cuda, gpu()));
  const std::optional<ChosenConfig> chosen = model_choice(p, cuda, "", gpu(), 1);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->source, ConfigSource::model);
  EXPECT_EQ(first_without_spills(p, gpu(), {chosen->config, with_results(4, 2)}, cuda, ""), 0U);
  EXPECT_EQ(untuned_choice(p, cuda, "", gpu(), 1).config, chosen->config);
}

TEST(WithoutCompilers, the_first_one_is_taken) {
  const runtime::ScopedEnvironment arch("MDH_CUDA_ARCH", "sm_90"), nvrtc("MDH_NVRTC", "off"),
      nvcc("MDH_NVCC", "off");
  const driver::Target& cuda = driver::find_target("cuda");
  EXPECT_EQ(first_without_spills(product(512), gpu(), {with_results(16, 16), with_results(4, 2)},
                                 cuda, ""),
            0U);
  EXPECT_TRUE(model_choice(product(512), cuda, "", gpu(), 1));
}

TEST(WithoutDevices, the_first_one_is_taken) {
  const runtime::ScopedEnvironment none("MDH_CUDA_ARCH", "sm_1");
  EXPECT_EQ(first_without_spills(product(512), gpu(), {with_results(32, 16), with_results(4, 2)},
                                 driver::find_target("cuda"), "cuda:99"),
            0U);
}

}  // namespace
}  // namespace mdh::tuning::without_spills_test
