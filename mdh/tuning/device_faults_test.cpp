// Kernels that go wrong on a device, in the middle of a search: each costs its candidate and nothing
// else. On every kind of device that is there; what a fault is differs between them, so that the
// text is put into the printed source by way of macros.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "mdh/driver/devices.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/testing.h"
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
                [&](const Trial& trial, const TuneProgress&) {
                  heard_.push_back(trial);
                  if (heard_by_) heard_by_();
                });
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
  std::function<void()> heard_by_;
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

/// Child processes of this one that run kernels, or wait for some: the others compile.
std::vector<pid_t> workers() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat"), line(entry.path() / "cmdline", std::ios::binary);
    std::string number, name, state, parent, program, memory, more;
    stat >> number >> name >> state >> parent;
    std::getline(line, program, '\0');
    std::getline(line, memory, '\0');
    const bool runs_kernels = program == MDH_WORKER_FILE && !std::getline(line, more, '\0');
    if (runs_kernels && parent == std::to_string(getpid())) found.push_back(std::stoi(number));
  }
  return found;
}

TEST_P(DeviceFaults, worker_that_is_killed_costs_its_candidate) {
  sabotage(2, with_code("for (volatile int n = 1; n > 0;) n = 1;"));
  options_.candidates.loading = 10;  // so that it is not given up before
  size_t killed = 0;
  std::optional<std::jthread> killer;
  heard_by_ = [&] {
    // The next one is the endless one, which is not over when its worker is killed.
    if (heard_.size() != 3) return;
    killer.emplace([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(GetParam().is_fake ? 1500 : 500));
      for (const pid_t worker : workers()) killed += kill(worker, SIGKILL) == 0;
    });
  };
  const TuneReport report = tuned();
  killer.reset();
  ASSERT_EQ(heard_.size(), 9u) << report.stopped_by;
  EXPECT_EQ(killed, 1u);
  EXPECT_EQ(heard_[3].outcome, RecordOutcome::crash) << heard_[3].reason;
  EXPECT_NE(heard_[3].reason.find("was killed"), std::string::npos) << heard_[3].reason;
  // The next process has the inputs again: all others are compared with the definition.
  for (const size_t n : {0, 1, 2, 4, 5, 6, 7, 8})
    EXPECT_TRUE(heard_[n].is_good()) << n << ": " << heard_[n].reason;
  EXPECT_TRUE(report.best && report.best->is_good());
}

TEST_P(DeviceFaults, candidate_that_wants_more_local_memory_than_there_is_is_lost_alone) {
  sabotage(1, [&](kernel::Module& module) {
    const int64_t there = target()->runtime->open(target()->name)->grid()->local_bytes;
    for (kernel::Step& step : module.steps) {
      if (auto* launch = std::get_if<kernel::Launch>(&step.is)) launch->local_bytes = there + 1024;
    }
  });
  const TuneReport report = tuned();
  ASSERT_EQ(heard_.size(), 9u) << report.stopped_by;
  EXPECT_EQ(heard_[2].outcome, RecordOutcome::compile_error) << heard_[2].reason;
  EXPECT_NE(heard_[2].reason, "");
  for (const size_t n : {0, 1, 3, 4, 5, 6, 7, 8})
    EXPECT_TRUE(heard_[n].is_good()) << n << ": " << heard_[n].reason;
}

/// All memory of a device; afterwards there is none for anybody else.
std::vector<std::shared_ptr<const runtime::DeviceMemory>> all_memory(const driver::Target& target) {
  const auto device = target.runtime->open(target.name);
  std::vector<std::shared_ptr<const runtime::DeviceMemory>> taken;
  constexpr int64_t least = int64_t{1} << 20;
  for (int64_t bytes = device->grid()->global_bytes; bytes >= least;) {
    try {
      taken.push_back(device->allocate(bytes));
    } catch (const Error&) {
      bytes /= 2;
    }
  }
  return taken;
}

TEST_P(DeviceFaults, no_room_for_the_inputs_is_one_error_and_no_failure_of_candidates) {
  if (target()->name != "cuda") GTEST_SKIP() << "SKIP: memory that comes late, or is the host's";
  std::optional<runtime::ScopedEnvironment> full;
  std::vector<std::shared_ptr<const runtime::DeviceMemory>> taken;
  if (GetParam().is_fake) {
    full.emplace("FAKE_CUDA_FAIL", "cuMemAlloc_v2=2");
  } else {
    taken = all_memory(*target());
  }
  const Diagnostic d = diagnostic_of([&] { tuned(); });
  EXPECT_EQ(d.code, "E619") << d.message;
  EXPECT_NE(d.message.find("there is no room for the buffers of the program: "), std::string::npos)
      << d.message;
  EXPECT_TRUE(heard_.empty()) << heard_[0].reason;
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
