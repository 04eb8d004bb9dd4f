// mdh tune on devices when processes are killed, or are not alone: nothing that was measured is lost,
// and nothing is left that is in the way of others. On the devices that are there, and on one that is
// not (mdh/runtime/cuda/fake).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "mdh/driver/target.h"
#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/support/text.h"
#include "mdh/tune/database.h"
#include "tests/cli/tool.h"

namespace mdh::test::tune_device_faults_test {
namespace {

using nlohmann::json;
using runtime::ScopedEnvironment;

/// A target on a device that is there, or on the fake one.
struct Place {
  std::string target;
  bool is_fake = false;
};

/// The processes that run this program.
size_t processes_of(const std::string& program) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream line(entry.path() / "cmdline", std::ios::binary);
    std::string first;
    std::getline(line, first, '\0');
    if (first == program) ++count;
  }
  return count;
}

bool holds_within(double seconds, const std::function<bool()>& holds) {
  const auto begin = std::chrono::steady_clock::now();
  while (!holds()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(seconds)) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

class TuneOnDevice : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    if (GetParam().is_fake) fake_.emplace();
    if (driver::find_target(GetParam().target).runtime->list().empty()) {
      GTEST_SKIP() << "SKIP: no device";
    }
    std::filesystem::create_symlink(std::filesystem::path(MDH_TOOL).parent_path() / "mdh-worker",
                                    worker());
    worker_.emplace("MDH_WORKER", worker());
  }

  std::string path(const std::string& name) const { return folder_.path() / name; }
  std::string worker() const { return path("worker-of-this-test"); }
  std::string file() const { return path("records.jsonl"); }

  std::vector<std::string> tune(const std::string& options) const {
    return split(fmt::format("{} tune matvec --size 12,10 --target {} --records {} {}", MDH_TOOL,
                             GetParam().target, file(), options),
                 ' ');
  }
  tune::Contents contents() const { return tune::Database(file()).load(); }

  /// The fastest record is used by a run.
  void expect_usable_records() const {
    const Outcome o =
        mdh(fmt::format("run matvec --size 12,10 --target {} --require-tuned -q "
                        "--records {}",
                        GetParam().target, file()));
    EXPECT_EQ(o.exit, 0) << describe(o);
  }

  TemporaryDirectory folder_;
  const ScopedEnvironment cache_{"MDH_CACHE", path("cache")};
  const ScopedEnvironment temporary_{"TMPDIR", folder_.path().string()};
  std::optional<runtime::cuda::HostGpu> fake_;
  std::optional<ScopedEnvironment> worker_;
};

/// One line each, the same ones at the beginning of both.
void expect_begins_with(const std::vector<tune::Record>& all,
                        const std::vector<tune::Record>& first) {
  ASSERT_GE(all.size(), first.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin(),
                         [](const auto& a, const auto& b) { return print(a) == print(b); }));
}

TEST_P(TuneOnDevice, killed_in_the_middle_loses_nothing_and_is_in_nobodys_way) {
  std::vector<tune::Record> seen;
  {
    const Started search(tune("--budget 400 -q"));
    ASSERT_TRUE(holds_within(120, [&] {
      seen = contents().records;
      return seen.size() >= 3;
    }));
  }  // kills it
  EXPECT_TRUE(holds_within(20, [&] { return processes_of(worker()) == 0; })) << "a worker is left";
  const tune::Contents left = contents();
  EXPECT_LE(left.unreadable, 1);
  expect_begins_with(left.records, seen);
  const Outcome o = run_command(tune("--budget 3 --json -q"));
  ASSERT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(json::parse(o.out)["recorded"], 3);
  const tune::Contents all = contents();
  EXPECT_EQ(all.records.size(), left.records.size() + 3);
  expect_begins_with(all.records, left.records);
  expect_usable_records();
}

TEST_P(TuneOnDevice, two_searches_take_turns_and_share_a_file) {
  const ScopedEnvironment locks("MDH_DEVICE_LOCKS", folder_.path().string());
  Started one(tune("--budget 6 --seed 1 -q")), other(tune("--budget 6 --seed 2 -q"));
  EXPECT_EQ(one.wait().exit, 0);
  EXPECT_EQ(other.wait().exit, 0);
  const tune::Contents all = contents();
  EXPECT_EQ(all.records.size(), 12u);
  EXPECT_EQ(all.unreadable, 0);
  // Both have used the same lock, or devices of this kind have none.
  size_t locked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    locked += entry.path().filename().string().starts_with("mdh-device-");
  }
  if (GetParam().target == "cuda") {
    EXPECT_EQ(locked, 2u) << "a device and its queue";
  }
  expect_usable_records();
}

/// Only where a kernel can do it: on threads of this machine.
class TuneOnFakeGpu : public TuneOnDevice {};

TEST_P(TuneOnFakeGpu, killed_by_its_fourth_kernel_has_recorded_all_before_it) {
  // The worker dies with the search, so that the fourth one is measured by nobody.
  const runtime::Script nvcc(
      "if [ \"$1\" = --version ]; then exec " + fake_->nvcc.path() +
          " --version; fi\n"
          "sed -i '1i extern \"C\" int getppid(), kill(int, int);' \"$4\"\n"
          "sed -i '/^extern.* run_matvec_2_[0-9]*(/s/{$/{ kill(getppid(), 9);/' \"$4\"\nexec " +
          fake_->nvcc.path() + " \"$@\"",
      "nvcc");
  {
    const ScopedEnvironment compiler("MDH_NVCC", nvcc.path());
    EXPECT_EQ(run_command(tune("--budget 8 -q")).exit, 128 + SIGKILL);
  }
  EXPECT_TRUE(holds_within(20, [&] { return processes_of(worker()) == 0; })) << "a worker is left";
  const tune::Contents first = contents();
  EXPECT_EQ(first.records.size(), 3u) << "the untuned choice and two more";
  EXPECT_EQ(first.unreadable, 0);
  const Outcome o = run_command(tune("--budget 3 --json -q"));
  ASSERT_EQ(o.exit, 0) << describe(o);
  expect_begins_with(contents().records, first.records);
  EXPECT_EQ(contents().records.size(), 6u);
}

std::string name_of(const testing::TestParamInfo<Place>& row) {
  return (row.param.is_fake ? "fake_" : "") + row.param.target;
}

INSTANTIATE_TEST_SUITE_P(Places, TuneOnDevice,
                         testing::Values(Place{"cuda", true}, Place{"cuda"}, Place{"opencl"}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Places, TuneOnFakeGpu, testing::Values(Place{"cuda", true}), name_of);

}  // namespace
}  // namespace mdh::test::tune_device_faults_test
