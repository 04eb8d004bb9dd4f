#include "mdh/runtime/cuda/limits.h"

#include <gtest/gtest.h>

#include "mdh/support/testing.h"

namespace mdh::runtime::cuda::limits_test {
namespace {

using kernel::Launch;

Device gpu() {
  Device device{.name = "GPU"};
  device.shared_bytes_optin = 232448;
  return device;
}

Diagnostic before_compiling(const Launch& launch) {
  const kernel::Module module{.language = "cuda", .steps = {{kernel::Repeat{2, {{launch}}}}}};
  return diagnostic_of([&] { check_launches(module, gpu()); });
}

Diagnostic after_compiling(const Launch& launch, const FunctionNeeds& needs) {
  return diagnostic_of([&] { check_function(launch, needs, gpu()); });
}

const std::string fine = "(no error was raised)";

TEST(CudaLimits, what_the_device_can_do_is_allowed) {
  EXPECT_EQ(before_compiling({"f", {2147483647, 65535, 65535}, {1024, 1, 1}, 232448}).message,
            fine);
  EXPECT_EQ(before_compiling({"f", {1, 1, 1}, {1, 16, 64}}).message, fine);
  EXPECT_EQ(after_compiling({"f", {1, 1, 1}, {1024, 1, 1}, 232448}, {1024, 0, 0, 64}).message,
            fine);
  EXPECT_EQ(after_compiling({"f", {1, 1, 1}, {256, 1, 1}}, {256, 0, 0, 255}).message, fine);
}

TEST(CudaLimits, items_of_a_group) {
  const Diagnostic d = before_compiling({"f", {1, 1, 1}, {64, 32, 1}});
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E615");
  EXPECT_EQ(d.message, "kernel 'f' needs groups of 2048 items; GPU has at most 1024");
  EXPECT_EQ(d.hint, "give the items of a group fewer parts");
}

TEST(CudaLimits, items_along_an_axis) {
  EXPECT_EQ(before_compiling({"f", {1, 1, 1}, {1, 1, 65}}).message,
            "kernel 'f' needs 65 items of a group along axis 2; GPU has at most 64");
  EXPECT_EQ(before_compiling({"f", {1, 1, 1}, {2000, 1, 1}}).message,
            "kernel 'f' needs 2000 items of a group along axis 0; GPU has at most 1024");
}

TEST(CudaLimits, groups_along_an_axis) {
  EXPECT_EQ(before_compiling({"f", {int64_t{1} << 31, 1, 1}, {1, 1, 1}}).message,
            "kernel 'f' needs 2147483648 groups along axis 0; GPU has at most 2147483647");
  EXPECT_EQ(before_compiling({"f", {1, 65536, 1}, {1, 1, 1}}).message,
            "kernel 'f' needs 65536 groups along axis 1; GPU has at most 65535");
  EXPECT_EQ(before_compiling({"f", {1, 1, 65536}, {1, 1, 1}}).code, "E615");
}

TEST(CudaLimits, shared_memory_of_a_launch) {
  EXPECT_EQ(before_compiling({"f", {1, 1, 1}, {1, 1, 1}, 232449}).message,
            "kernel 'f' needs 232449 bytes of local memory; GPU has at most 232448");
}

TEST(CudaLimits, clusters_of_groups) {
  const auto said = [](const std::array<int64_t, 3>& cluster, int arch) {
    Device device = gpu();
    device.arch.number = arch;
    const kernel::Module module{.language = "cuda",
                                .steps = {{Launch{"f", {8, 9, 1}, {32, 1, 1}, 64, cluster}}}};
    return diagnostic_of([&] { check_launches(module, device); });
  };
  EXPECT_EQ(said({8, 1, 1}, 90).message, fine);
  EXPECT_EQ(said({1, 3, 1}, 100).message, fine);
  EXPECT_EQ(said({1, 1, 1}, 70).message, fine);
  const Diagnostic d = said({2, 1, 1}, 86);
  EXPECT_EQ(d.code, "E615");
  EXPECT_EQ(d.message, "kernel 'f' needs clusters of 2 groups; GPU has at most 1");
  EXPECT_EQ(d.hint,
            "let the last group combine, or a launch of its own: last_core, partials_kernel");
  EXPECT_EQ(said({8, 3, 1}, 90).message,
            "kernel 'f' needs clusters of 24 groups; GPU has at most 8");
}

TEST(CudaLimits, shared_memory_of_a_function_counts_as_well) {
  EXPECT_EQ(after_compiling({"f", {1, 1, 1}, {1, 1, 1}, 232000}, {1024, 1000, 0, 8}).message,
            "kernel 'f' needs 233000 bytes of local memory; GPU has at most 232448");
}

TEST(CudaLimits, private_memory_of_an_item) {
  EXPECT_EQ(after_compiling({"f", {1, 1, 1}, {1, 1, 1}}, {1024, 0, 512 * 1024, 32}).message, fine);
  const Diagnostic d = after_compiling({"f", {1, 1, 1}, {1, 1, 1}}, {1024, 0, 1024000, 32});
  EXPECT_EQ(d.code, "E615");
  EXPECT_EQ(d.message,
            "kernel 'f' needs 1024000 bytes of private memory for each item; GPU has at most "
            "524288");
}

TEST(CudaLimits, registers_of_all_items_together) {
  const Diagnostic d = after_compiling({"f", {1, 1, 1}, {1024, 1, 1}}, {1024, 0, 0, 72});
  EXPECT_EQ(d.code, "E615");
  EXPECT_EQ(d.message,
            "kernel 'f' needs 72 registers for each of the 1024 items of a group; GPU has at most "
            "65536");
  // 65 registers take as much room as 72 do.
  EXPECT_EQ(after_compiling({"f", {1, 1, 1}, {1024, 1, 1}}, {1024, 0, 0, 65}).code, "E615");
  EXPECT_EQ(after_compiling({"f", {1, 1, 1}, {897, 1, 1}}, {1024, 0, 0, 72}).code, "E615")
      << "a warp that begins takes registers for all of its items";
}

TEST(CudaLimits, function_may_allow_fewer_items_than_the_device) {
  EXPECT_EQ(after_compiling({"f", {1, 1, 1}, {256, 1, 1}}, {128, 0, 0, 16}).message,
            "kernel 'f' needs groups of 256 items; GPU runs it with at most 128");
}

TEST(CudaLimits, empty_grid_is_a_bug) {
  EXPECT_EQ(before_compiling({"f", {0, 1, 1}, {1, 1, 1}}).kind, DiagnosticKind::internal);
  EXPECT_EQ(before_compiling({"f", {1, 1, 1}, {1, 0, 1}}).kind, DiagnosticKind::internal);
}

}  // namespace
}  // namespace mdh::runtime::cuda::limits_test
