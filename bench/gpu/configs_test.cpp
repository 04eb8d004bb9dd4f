// The stored configurations of a target of their own: all of them are obeyed, and fit.
#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

#include "bench/configs.h"
#include "bench/texts.h"
#include "bench/workloads.h"
#include "mdh/driver/stages.h"
#include "mdh/driver/target.h"
#include "mdh/runtime/opencl/limits.h"

namespace mdh::bench::gpu::configs_test {
namespace {

constexpr std::string_view folder = "bench/configs/sm_90/opencl/";

std::vector<std::string> stored() {
  std::vector<std::string> names;
  for (const auto& [path, text] : texts()) {
    if (!path.starts_with(folder)) continue;
    names.push_back(std::filesystem::path(path).stem());
  }
  return names;
}

class OpenClConfigs : public testing::TestWithParam<std::string> {};

TEST_P(OpenClConfigs, fit_into_the_local_memory_of_drivers_and_are_obeyed) {
  const Workload& workload = find_workload(GetParam());
  const auto known = known_config(workload, "", "sm_90", "opencl");
  ASSERT_TRUE(known.has_value());
  const driver::Target& target = driver::find_target("opencl");
  const machine::Machine& machine = machine::find_machine(known->config.machine);
  const kernel::Module module =
      driver::lower_all(instantiate(workload).program, machine, known->config, target, "f").module;
  runtime::opencl::check_local_memory(module, {.local_mem_bytes = 49152});
  EXPECT_EQ(driver::decisions_ignored_by(target, known->config, machine),
            std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Stored, OpenClConfigs, testing::ValuesIn(stored()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace mdh::bench::gpu::configs_test
