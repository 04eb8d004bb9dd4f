// Tuning for devices: the same rules as on the CPU, without a model and without a choice of
// compilers.

#include <gtest/gtest.h>

#include "mdh/driver/devices.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/diagnostic.h"
#include "mdh/tuning/model_choice.h"
#include "mdh/tuning/tuner.h"

namespace mdh::tuning::device_tuning_test {
namespace {

/// Every target whose devices have a grid; SKIP where there is none.
class DeviceTuning : public testing::TestWithParam<const driver::Target*> {
 protected:
  void SetUp() override {
    if (GetParam()->runtime->list().empty()) GTEST_SKIP() << "SKIP: no device";
    options_.target = GetParam();
    options_.device = GetParam()->name;
    options_.machine = driver::machine_of(*GetParam(), GetParam()->name);
    options_.threads = 2;
    options_.worker.program = MDH_WORKER_FILE;
    options_.worker.time_limit = 20;
  }

  ll::Config usual(const hl::Program& p) const {
    return ll::default_config(p, options_.machine, 2);
  }

  /// The printer puts something else into the source.
  void replace_in_source(const std::string& from, const std::string& to) {
    changed_ = *GetParam();
    changed_.print = [=, print = changed_.print](const loop::Program& p, const std::string& name) {
      kernel::Module module = print(p, name);
      const size_t at = module.source.find(from);
      internal_check(at != std::string::npos, "'{}' is not in\n{}", from, module.source);
      module.source.replace(at, from.size(), to);
      return module;
    };
    options_.target = &changed_;
  }

  Trial tried(const hl::Program& p) {
    Candidates candidates(p, options_);
    Trial trial = candidates.compile({usual(p)}, Candidates::Together::all).front();
    candidates.measure(0, {}, trial);
    return trial;
  }

  CandidateOptions options_;
  driver::Target changed_;
};

std::vector<const driver::Target*> targets_with_grids() {
  std::vector<const driver::Target*> found;
  for (const driver::Target& target : driver::targets()) {
    if (target.runtime && target.facts.teams == machine::Teams::nested) found.push_back(&target);
  }
  return found;
}

TEST_P(DeviceTuning, right_candidates_are_verified_and_timed) {
  for (const hl::Program& p : {matmul(24), sum(Scalar::f32, 1000), matvec(Scalar::f32, 33, 65)}) {
    const Trial trial = tried(p);
    EXPECT_TRUE(trial.is_good()) << p.name << ": " << trial.reason;
    EXPECT_EQ(trial.verified, "full");
    EXPECT_GT(trial.timing.median_us, 0);
  }
}

TEST_P(DeviceTuning, wrong_results_are_found) {
  replace_in_source(" * B_in", " + B_in");
  const Trial trial = tried(matmul(24));
  EXPECT_EQ(trial.outcome, tune::RecordOutcome::wrong) << trial.reason;
}

TEST_P(DeviceTuning, sources_that_the_driver_refuses_are_lost_in_its_words) {
  replace_in_source("{", "{ no_such_function_anywhere(;");
  const Trial trial = tried(matmul(24));
  EXPECT_EQ(trial.outcome, tune::RecordOutcome::compile_error);
  EXPECT_NE(trial.reason.find("no_such_function_anywhere"), std::string::npos) << trial.reason;
}

TEST_P(DeviceTuning, only_devices_with_warps_have_a_model) {
  const bool has_warps = GetParam()->facts.lockstep > 1 || options_.machine.warp > 1;
  EXPECT_EQ(has_cost_model(*GetParam(), options_.machine), has_warps);
  EXPECT_TRUE(has_cost_model(driver::usual_target(), machine::find_machine("cpu")));
}

TEST_P(DeviceTuning, the_best_is_verified_and_no_slower_than_the_untuned_choice) {
  TuneOptions o;
  o.candidates = options_;
  o.candidates.worker.time_limit = 3;  // so that no candidate takes the time of the final
  o.candidates.build.seconds = 3;
  o.seconds = 20;
  std::vector<std::string> phases;
  const TuneReport report = tune(matmul(16), o, [&](const Trial& trial, const TuneProgress& now) {
    if (phases.empty() || phases.back() != now.phase) phases.push_back(now.phase);
    EXPECT_EQ(trial.config.code.kernel.compiler, "") << "drivers have compilers of their own";
    EXPECT_TRUE(trial.config.code.kernel.flags.empty());
  });
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.best->verified, "full");
  EXPECT_EQ(phases, (std::vector<std::string>{"untuned", "searching", "final"}));
  ASSERT_TRUE(report.gain) << report.no_gain_because;
  EXPECT_GE(*report.gain, 1) << "the contest decides that";
  EXPECT_EQ(report.best->final_result, tune::FinalResult::won);
  EXPECT_EQ(report.untuned->config, usual(matmul(16)));
}

INSTANTIATE_TEST_SUITE_P(Targets, DeviceTuning, testing::ValuesIn(targets_with_grids()),
                         [](const auto& row) { return row.param->name; });

}  // namespace
}  // namespace mdh::tuning::device_tuning_test
