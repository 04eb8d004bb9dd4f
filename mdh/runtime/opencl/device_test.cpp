#include "mdh/runtime/opencl/device.h"

#include "mdh/runtime/opencl/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::opencl::device_test {
namespace {

using Devices = OpenCl;

TEST_F(Devices, are_counted_from_zero_and_have_sensible_numbers) {
  int number = 0;
  for (const Device& device : devices()) {
    EXPECT_EQ(device.number, number++);
    EXPECT_FALSE(device.name.empty());
    EXPECT_FALSE(device.platform.empty());
    EXPECT_EQ(device.version.find("OpenCL "), 0u) << device.version;
    EXPECT_EQ(device.name.find('\0'), std::string::npos);
    EXPECT_GE(device.compute_units, 1);
    EXPECT_GE(device.max_work_group_size, 1);
    for (const int64_t items : device.max_work_item_sizes) EXPECT_GE(items, 1);
    EXPECT_GE(device.local_mem_bytes, 1024);
    EXPECT_GE(device.global_mem_bytes, device.local_mem_bytes);
    EXPECT_GE(device.max_allocation_bytes, 1 << 20);
  }
}

TEST_F(Devices, first_one_needs_no_number) {
  EXPECT_EQ(find_device("opencl").number, 0);
  EXPECT_EQ(find_device("opencl").name, find_device("opencl:0").name);
}

TEST_F(Devices, gpus_come_before_cpus) {
  const std::vector<Device> all = devices();
  for (size_t n = 1; n < all.size(); ++n) {
    EXPECT_FALSE(is_preferred(all[n].kind, all[n - 1].kind)) << summary(all[n]);
  }
}

TEST(DeviceKinds, cpu_is_the_last_choice) {
  using enum DeviceKind;
  EXPECT_TRUE(is_preferred(gpu, accelerator));
  EXPECT_TRUE(is_preferred(accelerator, other));
  EXPECT_TRUE(is_preferred(other, cpu));
  EXPECT_TRUE(is_preferred(gpu, cpu));
  for (const DeviceKind kind : {cpu, gpu, accelerator, other}) {
    EXPECT_FALSE(is_preferred(kind, kind));
    EXPECT_FALSE(is_preferred(cpu, kind));
  }
}

TEST_F(Devices, number_that_does_not_exist_is_missing_and_the_error_names_what_does) {
  const Diagnostic d = diagnostic_of([] { find_device("opencl:99"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E614");
  EXPECT_EQ(d.message, "there is no OpenCL device 99");
  EXPECT_EQ(d.hint.find("known: " + summary(find_device("opencl"))), 0u) << d.hint;
}

TEST(DeviceNames, name_that_is_none_is_a_user_error) {
  for (const std::string name : {"opencl:", "opencl:x", "opencl:-1", "opencl:1x", "cuda:0", "",
                                 "opencl0", "opencl:99999999999999999999"}) {
    const Diagnostic d = diagnostic_of([&] { find_device(name); });
    EXPECT_EQ(d.kind, DiagnosticKind::user) << name;
    EXPECT_EQ(d.code, "E613") << name;
    EXPECT_EQ(d.message, "'" + name + "' names no OpenCL device");
  }
}

TEST(DeviceNames, summary_is_one_line) {
  Device device{.number = 1, .name = "Titan", .platform = "Gaea"};
  device.kind = DeviceKind::gpu;
  device.compute_units = 80;
  EXPECT_EQ(summary(device), "opencl:1  Titan (Gaea), GPU, 80 compute units");
  device.kind = DeviceKind::cpu;
  device.compute_units = 1;
  EXPECT_EQ(summary(device), "opencl:1  Titan (Gaea), CPU, 1 compute unit");
}

TEST(DeviceNames, machine_gets_plain_numbers) {
  Device device;
  device.compute_units = 80;
  device.max_work_group_size = 1024;
  device.local_mem_bytes = 49152;
  device.global_mem_bytes = int64_t{16} << 30;
  EXPECT_EQ(grid_numbers(device), (GridNumbers{80, 1024, 49152, int64_t{16} << 30}));
}

}  // namespace
}  // namespace mdh::runtime::opencl::device_test
