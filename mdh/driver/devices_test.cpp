#include "mdh/driver/devices.h"

#include <gtest/gtest.h>

#include "mdh/calibration/machine_identity.h"
#include "mdh/runtime/testing.h"

namespace mdh::driver::devices_test {
namespace {

TEST(Devices, host_comes_first_with_cores_and_compilers) {
  const runtime::DeviceInfo host = all_devices().at(0);
  EXPECT_EQ(host.kind, "host");
  EXPECT_FALSE(host.name.empty());
  ASSERT_GE(host.details.size(), 2u);
  EXPECT_EQ(host.details[0].first, "cores");
  EXPECT_EQ(host.details[1].first.find("compiler /"), 0u) << host.details[1].first;
  EXPECT_NE(host.details[1].second.find("; instruction set: "), std::string::npos);
}

TEST(Devices, host_without_a_compiler_says_why) {
  const runtime::ScopedEnvironment cc("MDH_CC", "/nonexistent");
  const runtime::DeviceInfo host = all_devices().at(0);
  EXPECT_EQ(host.details.at(1).first, "compiler");
  EXPECT_EQ(host.details.at(1).second,
            "none: the C compiler '/nonexistent' named by MDH_CC was not found");
}

TEST(HostTarget, is_identified_as_this_machine) {
  EXPECT_TRUE(is_same(identity_of(find_target("openmp"), ""), calibration::host_identity()));
}

TEST(DeviceIdentity, is_that_of_the_device_and_not_of_this_machine) {
  tune::MachineIdentity device;
  try {
    device = identity_of(find_target("opencl"), "opencl:0");
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    GTEST_SKIP() << e.diagnostic().message;
  }
  EXPECT_FALSE(device.model.empty());
  EXPECT_GE(device.cores, 1);
  EXPECT_FALSE(is_same(device, calibration::host_identity()));
  EXPECT_TRUE(is_same(device, identity_of(find_target("opencl"), "")));
}

}  // namespace
}  // namespace mdh::driver::devices_test
