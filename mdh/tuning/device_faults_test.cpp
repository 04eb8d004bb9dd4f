// Kernels that go wrong on a device, in the middle of a search: each costs its candidate and nothing
// else. On every kind of device that is there; what a fault is differs between them, so that the
// text is put into the printed source by way of macros.

#include <gtest/gtest.h>

#include "mdh/driver/devices.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/support/diagnostic.h"
#include "mdh/tuning/tuner.h"

namespace mdh::tuning::device_faults_test {
namespace {

using tune::RecordOutcome;

/// What is done to a module before it is compiled.
using Sabotage = std::function<void(kernel::Module&)>;

const std::string macros =
    "#ifdef __OPENCL_VERSION__\n"
    "#define MDH_TEST_GLOBAL __global\n"
    "#define MDH_TEST_IS_FIRST \\\n"
    "  (get_global_id(0) == 0 && get_global_id(1) == 0 && get_global_id(2) == 0)\n"
    "#else\n"
    "#define MDH_TEST_GLOBAL\n"
    "#define MDH_TEST_IS_FIRST \\\n"
    "  (blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0 && \\\n"
    "   threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)\n"
    "#endif\n"
    "#ifdef MDH_FAKE_CUDA\n"
    "#define MDH_TEST_FAULT mdh_fake_status = 700\n"
    "#else\n"
    "#define MDH_TEST_FAULT *(volatile MDH_TEST_GLOBAL int *)16 = 1\n"
    "#endif\n";

/// The fake driver does not watch addresses: kernels confess.
const std::string illegal = "MDH_TEST_FAULT;";

/// Puts code at the beginning of the first function that is launched.
void insert(const std::string& code, kernel::Module& module) {
  std::string function;
  kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t) {
    if (function.empty()) function = launch.function;
  });
  const size_t name = module.source.find(" " + function + "(");
  internal_check(name != std::string::npos, "'{}' is not printed", function);
  const size_t body = module.source.find(") {\n", name) + 4;
  module.source = macros + module.source.substr(0, body) + code + "\n" + module.source.substr(body);
}

Sabotage with_code(const std::string& code) {
  return [code](kernel::Module& module) { insert(code, module); };
}

/// The first runs are fine. They are counted behind what the kernel needs of its workspace, which
/// is poisoned before the first of them and then kept.
void break_later(kernel::Module& module) {
  module.workspace_bytes = (module.workspace_bytes + 15) / 16 * 16;
  insert(fmt::format("if (MDH_TEST_IS_FIRST) {{\n"
                     "  volatile MDH_TEST_GLOBAL unsigned *runs =\n"
                     "      (volatile MDH_TEST_GLOBAL unsigned *)(workspace + {});\n"
                     "  if (*runs == 0xdbdbdbdbu + 3) {}\n"
                     "  *runs = *runs + 1;\n}}",
                     module.workspace_bytes, illegal),
         module);
  module.workspace_bytes += 16;
}

/// A target on a device that is there, or on the fake one.
struct Place {
  const driver::Target* target;
  bool is_fake = false;
};

class DeviceFaults : public testing::TestWithParam<Place> {
 protected:
  static const driver::Target* target() { return GetParam().target; }

  void SetUp() override {
    if (GetParam().is_fake) fake_.emplace();
    if (target()->runtime->list().empty()) GTEST_SKIP() << "SKIP: no device";
    CandidateOptions& c = options_.candidates;
    c.device = target()->name;
    c.machine = driver::machine_of(*target(), target()->name);
    c.threads = 2;
    c.worker.program = MDH_WORKER_FILE;
    // Threads of a busy host are slow where they stand for those of a GPU.
    c.worker.time_limit = GetParam().is_fake ? 10 : 1;
    if (GetParam().is_fake) c.loading = 10;  // its clock says nothing about the host's
    c.build.seconds = 10;
    options_.evaluations = 9;
    options_.seconds = 120;
    sabotaged_ = *target();
    sabotaged_.print = [this](const loop::Program& p, const std::string& name) {
      kernel::Module module = target()->print(p, name);
      // Once: a later batch of candidates has the same names.
      if (const auto fault = faults_.extract(name)) fault.mapped()(module);
      return module;
    };
    c.target = &sabotaged_;
  }

  /// The untuned choice is the first trial, as run_matvec; then run_matvec_0, run_matvec_1, ...
  void sabotage(int number, Sabotage how) {
    faults_[fmt::format("run_matvec_{}", number)] = std::move(how);
  }

  TuneReport tuned() {
    // Small, so that compilers are soon done with every candidate.
    return tune(matvec(Scalar::f32, 12, 10), options_,
                [&](const Trial& trial, const TuneProgress&) { heard_.push_back(trial); });
  }

  int64_t too_many_bytes() const {
    const auto grid = target()->runtime->open(target()->name)->grid();
    return std::max<int64_t>(100'000'000'000, 2 * grid->global_bytes);
  }

  std::optional<runtime::cuda::HostGpu> fake_;
  TuneOptions options_;
  driver::Target sabotaged_;
  std::map<std::string, Sabotage> faults_;
  std::vector<Trial> heard_;  // what records are written of
};

TEST_P(DeviceFaults, lose_no_record_and_end_no_search) {
  sabotage(1, with_code(illegal));
  sabotage(2, with_code("for (volatile int n = 1; n > 0;) n = 1;"));
  sabotage(4, [&](kernel::Module& module) { module.workspace_bytes = too_many_bytes(); });
  sabotage(5, break_later);
  const TuneReport report = tuned();
  ASSERT_EQ(heard_.size(), 9u) << report.stopped_by;
  EXPECT_EQ(heard_[2].outcome, RecordOutcome::crash) << heard_[2].reason;
  EXPECT_EQ(heard_[3].outcome, RecordOutcome::timeout) << heard_[3].reason;
  EXPECT_EQ(heard_[5].outcome, RecordOutcome::out_of_memory) << heard_[5].reason;
  EXPECT_EQ(heard_[6].outcome, RecordOutcome::crash) << heard_[6].reason;
  for (const size_t n : {2, 3, 5, 6}) EXPECT_NE(heard_[n].reason, "") << n;
  for (const size_t n : {0, 1, 4, 7, 8})
    EXPECT_TRUE(heard_[n].is_good()) << n << ": " << heard_[n].reason;
  ASSERT_TRUE(report.best);
  EXPECT_TRUE(report.best->is_good());
  EXPECT_EQ(report.best->verified, "full");
}

TEST_P(DeviceFaults, every_second_candidate_may_fail) {
  for (const int n : {0, 2, 4}) sabotage(n, n % 4 == 0 ? with_code(illegal) : break_later);
  const TuneReport report = tuned();
  ASSERT_EQ(heard_.size(), 9u) << report.stopped_by;
  for (size_t n = 1; n < 6; ++n) {
    const RecordOutcome expected = n % 2 == 1 ? RecordOutcome::crash : RecordOutcome::ok;
    EXPECT_EQ(to_string(heard_[n].outcome), to_string(expected)) << n << ": " << heard_[n].reason;
  }
  EXPECT_TRUE(report.best && report.best->is_good());
}

std::vector<Place> places() {
  std::vector<Place> found;
  for (const driver::Target& target : driver::targets()) {
    if (target.runtime && target.facts.teams == machine::Teams::nested) found.push_back({&target});
  }
  found.push_back({&driver::find_target("cuda"), true});
  return found;
}

INSTANTIATE_TEST_SUITE_P(Places, DeviceFaults, testing::ValuesIn(places()), [](const auto& row) {
  return (row.param.is_fake ? "fake_" : "") + row.param.target->name;
});

}  // namespace
}  // namespace mdh::tuning::device_faults_test
