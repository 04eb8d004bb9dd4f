#include "mdh/tuning/neighbour_choice.h"

#include <gtest/gtest.h>

#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/cache.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"

namespace mdh::tuning::neighbour_choice_test {
namespace {

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

class NeighbourChoice : public ::testing::Test {
 protected:
  NeighbourChoice() {
    options_.target = &driver::find_target("openmp");
    options_.machine = cpu();
    options_.threads = 1;  // which needs one core to be undisturbed
    options_.worker.program = MDH_WORKER_FILE;
  }

  /// The same configuration by two sets of flags: one is many times as fast.
  ll::Config compiled(const std::string& flag) const {
    ll::Config config = ll::default_config(program_, cpu(), 1);
    config.code.kernel.flags = {flag};
    return config;
  }
  Selection selection(const std::string& chosen, const std::string& rival) const {
    return {
        {compiled(chosen), ConfigSource::model, "1 us estimated"}, cpu(), {}, {compiled(rival)}};
  }

  const hl::Program program_ = matvec(Scalar::f32, 300, 400);
  CandidateOptions options_;
  const TemporaryDirectory folder_;
  const runtime::ScopedEnvironment cache_{"MDH_CACHE", folder_.path().string()};
};

TEST_F(NeighbourChoice, is_the_model_s_where_the_rival_is_slower) {
  const Selection slow = selection("-O3", "-O0");
  const ChosenConfig chosen = measured_choice(program_, slow, options_);
  EXPECT_EQ(chosen.source, ConfigSource::model);
  EXPECT_EQ(chosen.config, slow.chosen.config);
}

TEST_F(NeighbourChoice, is_the_rival_s_where_that_is_faster_and_is_remembered) {
  const Selection fast = selection("-O0", "-O3");
  EXPECT_FALSE(remembered_choice(program_, fast, options_));
  ChosenConfig chosen = measured_choice(program_, fast, options_);
  for (int n = 0; n < 5 && !remembered_choice(program_, fast, options_); ++n) {
    chosen = measured_choice(program_, fast, options_);
  }
  const auto again = remembered_choice(program_, fast, options_);
  if (!again) {
    EXPECT_EQ(chosen.source, ConfigSource::model) << "without evidence";
    GTEST_SKIP() << "other programs use the cores";
  }
  EXPECT_EQ(chosen.source, ConfigSource::neighbour);
  EXPECT_EQ(chosen.config, fast.rivals[0]);
  EXPECT_NE(describe(chosen).find("neighbour ("), std::string::npos) << describe(chosen);
  EXPECT_EQ(again->config, chosen.config);
  EXPECT_EQ(again->detail, chosen.detail);
  CandidateOptions more = options_;
  more.threads = 2;
  EXPECT_FALSE(remembered_choice(program_, fast, more)) << "with as many threads only";
  EXPECT_FALSE(remembered_choice(matvec(Scalar::f32, 300, 401), fast, options_));
  EXPECT_FALSE(remembered_choice(program_, selection("-O1", "-O3"), options_));
}

TEST_F(NeighbourChoice, a_rival_that_does_not_work_is_none) {
  EXPECT_EQ(measured_choice(program_, selection("-O1", "--no-such-flag"), options_).source,
            ConfigSource::model);
  EXPECT_EQ(measured_choice(program_, selection("-O0", "-Dfloat=int"), options_).source,
            ConfigSource::model);
}

TEST_F(NeighbourChoice, is_the_model_s_where_nothing_can_be_measured) {
  CandidateOptions without = options_;
  without.worker.program.clear();
  const runtime::ScopedEnvironment none("MDH_WORKER", "/nonexistent");
  EXPECT_EQ(measured_choice(program_, selection("-O0", "-O3"), without).source,
            ConfigSource::model);
}

TEST_F(NeighbourChoice, what_the_cache_has_is_read_with_care) {
  const Selection fast = selection("-O0", "-O3");
  measured_choice(program_, fast, options_);
  // Another version may have written anything.
  const runtime::Cache cache = runtime::Cache::of_user();
  for (const auto& entry : std::filesystem::directory_iterator(cache.folder())) {
    cache.store(entry.path().stem().string(), "7 no number");
  }
  EXPECT_FALSE(remembered_choice(program_, fast, options_));
}

}  // namespace
}  // namespace mdh::tuning::neighbour_choice_test
