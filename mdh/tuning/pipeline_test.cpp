// On devices of their own: candidates are compiled while others are measured, and those that spill are
// not measured. The GPU is the fake one, and its compiler a script.
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <sstream>
#include <thread>

#include "mdh/driver/devices.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/tuning/tuner.h"

namespace mdh::tuning::pipeline_test {
namespace {

using Together = Candidates::Together;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  if (!std::filesystem::exists(file)) return lines;
  std::istringstream text(read_file(file));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

bool becomes_true(const std::function<bool()>& condition, double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  while (!condition()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(seconds)) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

class Pipeline : public testing::Test {
 protected:
  /// The compiler of the fake GPU, which first does what `before` says and then `behind`.
  void use_compiler(const std::string& before, const std::string& behind) {
    script_.emplace("if [ \"$1\" != --version ]; then " + before + "\nfi\n" + gpu_.nvcc.path() +
                        " \"$@\" || exit 1\nif [ \"$1\" != --version ]; then " + behind + "\nfi",
                    "nvcc");
    compiler_.emplace("MDH_NVCC", script_->path());
  }

  void SetUp() override {
    options_.target = &driver::find_target("cuda");
    options_.device = "cuda";
    options_.machine = driver::machine_of(*options_.target, "cuda");
    options_.threads = 2;
    options_.worker.program = MDH_WORKER_FILE;
    options_.worker.time_limit = 20;
    options_.build.seconds = 30;
    options_.build.cache = runtime::Cache();
  }

  std::filesystem::path log() const { return folder_.path() / "log"; }

  const hl::Program program_ = matvec(Scalar::f32, 12, 10);

  /// Different configurations.
  std::vector<ll::Config> some(int64_t first, int64_t last) const {
    std::vector<ll::Config> configs;
    for (int64_t threads = first; threads <= last; ++threads) {
      configs.push_back(ll::parse_config(fmt::format(
          R"({{"mdh_config": 1, "program": "p", "machine": "gpu", "layers": ["BLK", "THR", "SHR"],
              "split": {{"i": ["BLK {}", "THR {}"], "k": ["SHR 10"]}},
              "order": ["BLK.i", "THR.i", "SHR.k"]}})",
          (12 + threads - 1) / threads, threads)));
    }
    return configs;
  }

  TemporaryDirectory folder_;
  runtime::cuda::HostGpu gpu_;
  std::optional<runtime::Script> script_;
  std::optional<runtime::ScopedEnvironment> compiler_;
  CandidateOptions options_;
};

TEST_F(Pipeline, batches_are_compiled_before_anybody_waits_for_them) {
  use_compiler("true", "echo compiled >> " + log().string());
  Candidates candidates(program_, options_);
  ASSERT_TRUE(candidates.may_prepare());
  const std::vector<ll::Config> first = some(2, 3), second = some(4, 5);
  candidates.prepare(first);
  candidates.prepare(second);
  EXPECT_TRUE(becomes_true([&] { return lines_of(log()).size() == 4; }, 120));
  for (const auto& configs : {first, second}) {
    std::vector<Trial> trials = candidates.compile(configs, Together::all);
    ASSERT_EQ(trials.size(), 2u);
    for (size_t n = 0; n < trials.size(); ++n) {
      EXPECT_EQ(trials[n].config, configs[n]) << "each has its own outcome";
      candidates.measure(n, {.best_us = 1e-9}, trials[n]);  // no twin is compiled
      EXPECT_TRUE(trials[n].is_good()) << trials[n].reason;
      EXPECT_EQ(trials[n].verified, "full");
    }
  }
  EXPECT_EQ(lines_of(log()).size(), 4u) << "nothing is compiled twice";
}

TEST_F(Pipeline, compilers_of_what_nobody_wants_end_at_once) {
  use_compiler("echo $$ >> " + log().string() + "; sleep 100", "true");
  const auto begin = std::chrono::steady_clock::now();
  {
    Candidates candidates(program_, options_);
    candidates.prepare(some(2, 3));
    EXPECT_TRUE(becomes_true([&] { return !lines_of(log()).empty(); }, 60));
    candidates.drop_prepared();
    for (const std::string& process : lines_of(log())) {
      EXPECT_TRUE(kill(std::stoi(process), 0) != 0 && errno == ESRCH) << process;
    }
    candidates.prepare(some(4, 5));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(90));
}

TEST_F(Pipeline, bugs_of_mdh_in_the_background_are_told_to_who_waits) {
  driver::Target broken = *options_.target;
  broken.print = [](const loop::Program&, const std::string&) -> kernel::Module {
    internal_failure(false, "the printer is broken");
  };
  options_.target = &broken;
  Candidates candidates(program_, options_);
  candidates.prepare(some(2, 3));
  candidates.prepare(some(4, 5));
  EXPECT_THROW(candidates.compile(some(2, 3), Together::all), Error);
}

/// A kernel whose first run is wrong. It takes so long that runs are not repeated before they are compared.
kernel::Module wrong_at_first(kernel::Module module) {
  const std::string factor = " * v_in)";
  const size_t at = module.source.rfind(factor);
  EXPECT_NE(at, std::string::npos) << module.source;
  module.source.replace(at, factor.size(), " * mdh_later_right(v_in))");
  module.source = R"(#include <unistd.h>
static inline float mdh_later_right(float x) {
  static int calls;  // of all threads; a run has more than 100
  const int call = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  if (call == 0) usleep(50000);
  return call < 100 ? x + 1 : x;
}
)" + module.source;
  return module;
}

/// That a later run is right is no excuse: what is wrong now and then is wrong.
TEST_F(Pipeline, what_is_wrong_once_is_wrong) {
  driver::Target broken = *options_.target;
  broken.print = [&](const loop::Program& p, const std::string& name) {
    return wrong_at_first(driver::find_target("cuda").print(p, name));
  };
  options_.target = &broken;
  Candidates candidates(program_, options_);
  std::vector<Trial> trials = candidates.compile(some(2, 2), Together::all);
  candidates.measure(0, {.best_us = 1e-9}, trials[0]);
  EXPECT_EQ(to_string(trials[0].outcome), "wrong") << trials[0].reason;
}

TEST_F(Pipeline, outcomes_are_told_in_the_order_in_which_points_were_asked_for) {
  TuneOptions o;
  o.candidates = options_;
  o.evaluations = 7;
  o.batch = 2;
  o.seconds = 300;
  o.technique = "random";
  std::vector<std::string> heard;
  const TuneReport report = tune(program_, o, [&](const Trial&, const TuneProgress& now) {
    EXPECT_EQ(now.evaluations, heard.size() + 1);
    heard.push_back(now.phase);
  });
  EXPECT_EQ(heard.size(), 7u) << report.stopped_by;
  EXPECT_EQ(report.stopped_by, "evaluations");
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.screening.candidates, 6u);
}

/// What the assembler says of every function whose source has such a line.
const std::string says_that_it_spills =
    "for f in $(grep -o 'run_matvec[_0-9]*(' \"$4\" | tr -d '(' | sort -u); do "
    "echo \"ptxas info    : Compiling entry function '$f' for 'sm_90'\"; "
    "echo \"ptxas info    : Function properties for $f\"; "
    "echo '    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads'; done";

TEST_F(Pipeline, what_spills_is_not_measured_once_anything_works) {
  use_compiler("true", says_that_it_spills);
  TuneOptions o;
  o.candidates = options_;
  o.evaluations = 4;
  o.seconds = 300;
  std::vector<Trial> heard;
  const auto listen = [&](const Trial& trial, const TuneProgress&) { heard.push_back(trial); };
  const TuneReport report = tune(program_, o, listen);
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_TRUE(heard[0].is_good()) << "the untuned choice: " << heard[0].reason;
  for (size_t n = 1; n < heard.size(); ++n) {
    EXPECT_EQ(to_string(heard[n].outcome), "spills");
    EXPECT_NE(heard[n].reason.find("16 bytes"), std::string::npos) << heard[n].reason;
    EXPECT_EQ(heard[n].timing.count, 0);
  }
  EXPECT_EQ(report.failures.at("spills"), 3u);
}

TEST_F(Pipeline, what_spills_is_measured_where_nothing_else_works) {
  use_compiler("grep -q 'run_matvec_[0-9]*(' \"$4\" && exit 1", says_that_it_spills);
  TuneOptions o;
  o.candidates = options_;
  o.evaluations = 4;
  o.seconds = 300;
  std::vector<Trial> heard;
  const auto listen = [&](const Trial& trial, const TuneProgress&) { heard.push_back(trial); };
  tune(program_, o, listen);
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_EQ(to_string(heard[0].outcome), "compile_error") << "the untuned choice";
  EXPECT_TRUE(heard[1].is_good()) << heard[1].reason;
  EXPECT_EQ(to_string(heard[2].outcome), "spills");
}

}  // namespace
}  // namespace mdh::tuning::pipeline_test
