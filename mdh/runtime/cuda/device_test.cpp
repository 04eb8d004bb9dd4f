#include "mdh/runtime/cuda/device.h"

#include "mdh/runtime/cuda/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::cuda::device_test {
namespace {

using CudaDevices = FakeCuda;

TEST_F(CudaDevices, have_the_numbers_that_the_driver_tells) {
  const std::vector<Device> all = devices();
  ASSERT_EQ(all.size(), 1u);
  const Device& d = all[0];
  EXPECT_EQ(d.name, "Fake GPU");
  EXPECT_EQ(d.arch, (Arch{90, "", false}));
  EXPECT_EQ(d.driver_version, 13000);
  EXPECT_EQ(d.multiprocessors, 132);
  EXPECT_EQ(d.max_block, (std::array<int64_t, 3>{1024, 1024, 64}));
  EXPECT_EQ(d.max_grid, (std::array<int64_t, 3>{2147483647, 65535, 65535}));
  EXPECT_EQ(d.shared_bytes, 49152);
  EXPECT_EQ(d.shared_bytes_optin, 232448);
  EXPECT_EQ(d.memory_bytes, int64_t{8} << 30);
  EXPECT_EQ(d.l2_bytes, 62914560);
  EXPECT_DOUBLE_EQ(memory_bandwidth(d), 2 * 3.201e9 * 768);
  EXPECT_EQ(summary(d), "cuda:0  Fake GPU, compute capability 9.0, 132 multiprocessors");
}

TEST_F(CudaDevices, are_listed_with_what_people_want_to_know) {
  const std::vector<DeviceInfo> all = cuda::runtime().list();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "Fake GPU");
  EXPECT_EQ(all[0].kind, "cuda:0 GPU");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"compute capability", "9.0"},
      {"driver", "CUDA 13.0"},
      {"multiprocessors", "132"},
      {"memory", "8.0 GiB"},
      {"memory bandwidth", "4917 GB/s"},
      {"L2 cache", "62914560 bytes"},
      {"shared memory", "232448 bytes of a block"},
      {"registers", "65536 of a block, 65536 of a multiprocessor"},
      {"threads of a block", "1024"},
      {"threads of a warp", "32"},
      {"clock", "1980 MHz"}};
  EXPECT_EQ(all[0].details, expected);
}

TEST_F(CudaDevices, machine_gets_plain_numbers) {
  EXPECT_EQ(grid_numbers(find_device("cuda")), (GridNumbers{132,
                                                            1024,
                                                            232448,
                                                            int64_t{8} << 30,
                                                            32,
                                                            32,
                                                            true,
                                                            8,
                                                            255 * 4,
                                                            {2147483647, 65535, 65535}}));
  EXPECT_FALSE(grid_numbers(described(*arch_from("sm_75"))).copies_in_flight);
  EXPECT_EQ(grid_numbers(described(*arch_from("sm_90"))).groups_of_cluster, 8);
  EXPECT_EQ(grid_numbers(described(*arch_from("sm_89"))).groups_of_cluster, 1);
}

TEST_F(CudaDevices, open_device_says_what_it_is) {
  const auto device = open();
  EXPECT_EQ(device->name(), "cuda:0");
  EXPECT_TRUE(device->takes("cuda"));
  EXPECT_FALSE(device->takes("opencl"));
  EXPECT_TRUE(device->accuracy().has_exact_division);
  EXPECT_TRUE(device->accuracy().has_subnormals);
  EXPECT_EQ(device->accuracy().mathematics, Mathematics::opencl);
  const MachineIdentity identity = device->identity().value();
  EXPECT_EQ(identity.model, "Fake GPU");
  EXPECT_EQ(identity.cores, 132);
  EXPECT_EQ(identity.isa, "sm_90, CUDA 13.0");
  EXPECT_EQ(identity.caches.at("local"), 232448);
  EXPECT_EQ(ask<int>("fake_cuda_retained"), 0) << "asking opens no context";
}

TEST_F(CudaDevices, that_nobody_may_use_are_not_counted) {
  const ScopedEnvironment two("FAKE_CUDA_DEVICES", "2"), closed("FAKE_CUDA_PROHIBITED", "1");
  const std::vector<Device> all = devices();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].number, 0);
  EXPECT_EQ(all[0].ordinal, 1);
}

TEST_F(CudaDevices, number_that_does_not_exist_is_missing_and_the_error_names_what_does) {
  const Diagnostic d = diagnostic_of([] { find_device("cuda:3"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E644");
  EXPECT_EQ(d.message, "there is no CUDA device 3");
  EXPECT_EQ(d.hint, "known: cuda:0  Fake GPU, compute capability 9.0, 132 multiprocessors");
}

TEST_F(CudaDevices, name_that_is_none_is_a_user_error) {
  for (const std::string name : {"cuda:", "cuda:x", "cuda:-1", "cuda0", "opencl:0", ""}) {
    const Diagnostic d = diagnostic_of([&] { find_device(name); });
    EXPECT_EQ(d.kind, DiagnosticKind::user) << name;
    EXPECT_EQ(d.code, "E643") << name;
    EXPECT_EQ(d.message, "'" + name + "' names no CUDA device");
  }
}

// ---- drivers that find nothing

TEST_F(CudaDevices, machine_without_devices_lists_none_and_says_why) {
  const ScopedEnvironment none("FAKE_CUDA_FAIL", "cuInit=100");
  EXPECT_TRUE(cuda::runtime().list().empty());
  const Diagnostic d = diagnostic_of([] { find_device("cuda"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E642");
  EXPECT_EQ(d.message, "there is no CUDA device");
  EXPECT_NE(d.hint.find("nvidia-smi"), std::string::npos) << d.hint;
}

TEST_F(CudaDevices, driver_that_counts_none_is_a_machine_without_devices) {
  const ScopedEnvironment none("FAKE_CUDA_DEVICES", "0");
  EXPECT_EQ(diagnostic_of([] { find_device("cuda"); }).code, "E642");
}

TEST_F(CudaDevices, driver_that_does_not_start_is_missing_with_advice) {
  const ScopedEnvironment mismatch("FAKE_CUDA_FAIL", "cuInit=803");
  const Diagnostic d = diagnostic_of([] { find_device("cuda"); });
  EXPECT_EQ(d.code, "E647");
  EXPECT_EQ(d.message,
            "the CUDA library and the driver in the kernel do not match "
            "(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH in cuInit)");
  const ScopedEnvironment unknown("FAKE_CUDA_FAIL", "cuInit=999");
  const Diagnostic other = diagnostic_of([] { find_device("cuda"); });
  EXPECT_EQ(other.kind, DiagnosticKind::missing);
  EXPECT_EQ(other.message, "the CUDA driver cannot be used (CUDA_ERROR_UNKNOWN in cuInit)");
}

TEST(CudaDriver, that_is_not_there_is_missing) {
  const ScopedEnvironment nowhere("MDH_LIBCUDA", "libNoCuda.so.1");
  EXPECT_TRUE(cuda::runtime().list().empty());
  const Diagnostic d = diagnostic_of([] { driver(); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E641");
  EXPECT_EQ(d.message.find("there is no CUDA driver: libNoCuda.so.1: "), 0u) << d.message;
}

TEST(CudaDriver, that_is_another_library_is_named) {
  const Diagnostic d = diagnostic_of([] { load_driver("libc.so.6"); });
  EXPECT_EQ(d.code, "E641");
  EXPECT_EQ(d.message, "the CUDA driver libc.so.6 has no cuInit");
}

// ---- architectures, and devices that are not there

TEST(CudaArch, is_read_and_written) {
  for (const std::string text : {"sm_90", "sm_90a", "sm_103f", "compute_75", "sm_120"}) {
    ASSERT_TRUE(arch_from(text)) << text;
    EXPECT_EQ(to_string(*arch_from(text)), text);
  }
  EXPECT_EQ(arch_from("sm_90a")->number, 90);
  EXPECT_TRUE(arch_from("compute_90")->is_ptx);
  for (const std::string text : {"", "90", "sm90", "sm_", "sm_9x", "sm_90b", "SM_90", "sm_90 "}) {
    EXPECT_FALSE(arch_from(text)) << text;
  }
}

TEST(CudaArch, of_the_user_that_cannot_be_read_is_a_user_error) {
  const ScopedEnvironment arch("MDH_CUDA_ARCH", "hopper");
  const Diagnostic d = diagnostic_of([] { find_device("cuda"); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E648");
  EXPECT_EQ(d.message, "MDH_CUDA_ARCH: 'hopper' names no GPU");
}

TEST(CudaArch, stands_for_a_device_where_there_is_none) {
  const ScopedEnvironment nowhere("MDH_LIBCUDA", "libNoCuda.so.1"), arch("MDH_CUDA_ARCH", "sm_80");
  const Device d = find_device("cuda");
  EXPECT_FALSE(d.is_there);
  EXPECT_EQ(d.arch.number, 80);
  EXPECT_EQ(d.shared_bytes_optin, 163 * 1024);
  EXPECT_EQ(d.multiprocessors, 108);
  EXPECT_TRUE(cuda::runtime().list().empty()) << "it is not there";
  EXPECT_EQ(diagnostic_of([] { cuda::runtime().open("")->allocate(8, "x"); }).code, "E641");
}

TEST_F(CudaDevices, are_built_for_as_the_user_says) {
  const ScopedEnvironment arch("MDH_CUDA_ARCH", "sm_90a");
  const Device d = find_device("cuda");
  EXPECT_TRUE(d.is_there);
  EXPECT_EQ(to_string(d.arch), "sm_90a");
  EXPECT_EQ(d.name, "Fake GPU");
}

}  // namespace
}  // namespace mdh::runtime::cuda::device_test
