#include "mdh/tuning/model_choice.h"

#include <gtest/gtest.h>

#include <chrono>

#include "mdh/calibration/rates.h"
#include "mdh/driver/devices.h"
#include "mdh/hl/instantiate.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/model/cost.h"
#include "mdh/model/grid_cost.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::tuning::model_choice_test {
namespace {

const machine::Machine& cpu() { return machine::find_machine("cpu"); }
const driver::Target& openmp() { return driver::find_target("openmp"); }

double estimated(const hl::Program& p, const ll::Config& config) {
  const ll::Program low = passes::lower(p, cpu(), config);
  return model::estimate(model::shape_of(low.computation), ll::Decomposition(low, cpu()),
                         calibration::rates_of(cpu(), 2))
      .total();
}

TEST(ModelChoice, is_made_for_large_programs_on_a_cpu) {
  const hl::Program large = matvec(Scalar::f32, 256, 256), small = matvec(Scalar::f32, 256, 255);
  EXPECT_TRUE(may_choose_by_model(large, openmp(), cpu()));
  EXPECT_TRUE(may_choose_by_model(large, openmp(), machine::find_machine("host")));
  EXPECT_FALSE(may_choose_by_model(small, openmp(), cpu()));
  EXPECT_FALSE(may_choose_by_model(large, driver::find_target("reference"), cpu()));
  EXPECT_FALSE(
      may_choose_by_model(large, driver::find_target("opencl"), machine::find_machine("gpu")));
  EXPECT_FALSE(may_choose_by_model(large, openmp(), machine::find_machine("gpu")));
}

TEST(ModelChoice, is_made_soon_for_many_dimensions) {
  const hl::Program eight = hl::parse(
      "mdh 1\nprogram p = out_view( y: f32 = [a, b, c, d, e, f, g, h] ) * md_hom( a: 4 by cc,"
      " b: 4 by cc, c: 4 by cc, d: 4 by cc, e: 4 by cc, f: 4 by cc, g: 4 by cc, h: 4 by cc )"
      " { y = x; } * inp_view( x: f32 = [a, b, c, d, e, f, g, h] )");
  EXPECT_TRUE(may_choose_by_model(eight, openmp(), cpu()));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(model_choice(eight, openmp(), "", cpu(), 2));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(ModelChoice, is_not_made_where_sizes_are_open) {
  const std::string open =
      "mdh 1\nprogram p<N: size = *> = out_view( y: f32 = [i, j] ) * md_hom( i: N by cc, j: 100000 "
      "by cc ) { y = x; } * inp_view( x: f32 = [i, j] )";
  EXPECT_FALSE(may_choose_by_model(hl::instantiate_open(hl::parse(open), {}), openmp(), cpu()));
}

TEST(ModelChoice, is_valid_better_than_the_default_and_always_the_same) {
  const hl::Program p = matvec(Scalar::f32, 512, 512);
  const std::optional<ChosenConfig> chosen = model_choice(p, openmp(), "", cpu(), 2);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->source, ConfigSource::model);
  EXPECT_EQ(describe(*chosen).find("model ("), 0u) << describe(*chosen);
  EXPECT_NE(chosen->detail.find(" us estimated"), std::string::npos) << chosen->detail;
  EXPECT_EQ(chosen->config.code.kernel.compiler, "");
  EXPECT_LT(estimated(p, chosen->config), estimated(p, ll::default_config(p, cpu(), 2)));
  EXPECT_EQ(model_choice(p, openmp(), "", cpu(), 2)->config, chosen->config);
}

TEST(UntunedChoice, is_the_one_of_the_model_where_that_may_choose) {
  const hl::Program large = matvec(Scalar::f32, 512, 512), small = matvec(Scalar::f32, 16, 16);
  EXPECT_EQ(untuned_choice(large, openmp(), "", cpu(), 2).config,
            model_choice(large, openmp(), "", cpu(), 2)->config);
  EXPECT_EQ(untuned_choice(large, openmp(), "", cpu(), 2).source, ConfigSource::model);
  EXPECT_EQ(untuned_choice(small, openmp(), "", cpu(), 2).config,
            ll::default_config(small, cpu(), 2));
  EXPECT_EQ(untuned_choice(small, openmp(), "", cpu(), 2).source, ConfigSource::usual);
}

TEST(RivalsOf, choice_are_valid_different_and_not_estimated_to_be_much_slower) {
  const hl::Program p = matvec(Scalar::f32, 512, 512), near = matvec(Scalar::f32, 480, 530);
  const ll::Config chosen = model_choice(p, openmp(), "", cpu(), 2)->config;
  const ll::Config there = model_choice(near, openmp(), "", cpu(), 2)->config;
  ll::Config other = there;
  other.code.kernel.compiler = "gcc";
  other.code.kernel.flags = {"-O2", "-fno-tree-vectorize"};
  EXPECT_TRUE(rivals_of(chosen, p, cpu(), 2, {}, 2).empty());
  const std::vector<ll::Config> rivals = rivals_of(chosen, p, cpu(), 2, {other, other}, 2);
  ASSERT_EQ(rivals.size(), 1u) << "each once";
  EXPECT_NO_THROW(passes::lower(p, cpu(), rivals[0]));
  EXPECT_LE(estimated(p, rivals[0]), 1.25 * estimated(p, chosen));
  EXPECT_EQ(rivals[0].code.kernel.compiler, "gcc") << "its compiler belongs to it";
  EXPECT_EQ(rivals[0].code.kernel.flags, other.code.kernel.flags);
  const std::vector<ll::Config> slow = {ll::default_config(p, cpu(), 1)};
  ASSERT_GT(estimated(p, slow[0]), 2 * estimated(p, chosen));
  EXPECT_TRUE(rivals_of(chosen, p, cpu(), 2, slow, 2).empty());
}

TEST(ModelChoice, on_any_cpu_is_valid_or_none) {
  const hl::Program p = matvec(Scalar::f32, 300, 300);
  for (const machine::Machine& m : machine::machines()) {
    if (!may_choose_by_model(p, openmp(), m)) continue;
    const std::optional<ChosenConfig> chosen = model_choice(p, openmp(), "", m, 2);
    if (!chosen) continue;
    EXPECT_NO_THROW(passes::lower(p, m, chosen->config)) << m.name;
  }
}

TEST(ModelChoice, is_none_where_the_validator_refuses_all) {
  machine::Machine narrow = cpu();
  for (const machine::Layer& layer : narrow.layers) {
    narrow.constraints.push_back(machine::PartsAtMost{{layer.name}, 1, ""});
  }
  EXPECT_FALSE(model_choice(matvec(Scalar::f32, 300, 300), openmp(), "", narrow, 2));
}

TEST(ModelChoice, does_not_hide_that_rates_cannot_be_read) {
  const runtime::ScopedEnvironment set("MDH_RATES", "/dev/null");
  const hl::Program p = matvec(Scalar::f32, 512, 512);
  EXPECT_EQ(diagnostic_of([&] { model_choice(p, openmp(), "", cpu(), 2); }).code, "E884");
}

// ---- devices whose layers have no warps

/// As of a GPU whose driver for OpenCL tells how many items run together.
machine::Machine device_with_warps() {
  machine::Machine m = machine::find_machine("gpu_nowarp");
  driver::take_numbers({.groups_at_once = 132, .local_bytes = 49152, .warp = 32}, m);
  return m;
}

TEST(ModelChoice, of_a_device_without_warps_needs_their_width) {
  const hl::Program p = matvec(Scalar::f32, 512, 512);
  const driver::Target& opencl = driver::find_target("opencl");
  EXPECT_FALSE(may_choose_by_model(p, opencl, machine::find_machine("gpu_nowarp")));
  EXPECT_TRUE(may_choose_by_model(p, opencl, device_with_warps()));
}

TEST(ModelChoice, of_a_device_that_tells_no_spills_is_far_from_them_or_the_usual_one) {
  const machine::Machine m = device_with_warps();
  size_t others = 0;
  const hl::Program few_rows = hl::parse(
      "mdh 1\nprogram matmul = out_view( C: f32 = [i, j] ) * md_hom( i: 16 by cc, j: 1000 by cc,"
      " k: 2048 by pw(add) ) { C = A * B; } * inp_view( A: f32 = [i, k]; B: f32 = [k, j] )");
  for (const hl::Program& p : {matvec(Scalar::f32, 2048, 2048), matmul(512), few_rows}) {
    const auto chosen = model_choice(p, driver::find_target("opencl"), "", m, 2);
    ASSERT_TRUE(chosen);
    const ll::Program low = passes::lower(p, m, chosen->config);
    const model::GridCost cost = model::estimate(model::shape_of(low.computation),
                                                 ll::Decomposition(low, m), model::GridRates{});
    const bool is_usual = chosen->config == ll::default_config(p, m, 1);
    EXPECT_TRUE(is_usual || cost.registers <= 100) << cost.registers;
    others += !is_usual;
    for (const auto& [level, how] : chosen->config.code.combine) {
      EXPECT_EQ(how, ll::Combination::team_tree) << "nobody exchanges registers, or is last";
    }
    for (const auto& [buffer, stages] : chosen->config.code.stage) {
      for (const ll::StageCode& stage : stages) {
        EXPECT_TRUE(is_usual || stage.transport != ll::Transport::async) << buffer;
      }
    }
  }
  EXPECT_GT(others, 0u);
}

}  // namespace
}  // namespace mdh::tuning::model_choice_test
