#include "mdh/runtime/opencl/limits.h"

#include <gtest/gtest.h>

#include "mdh/support/testing.h"

namespace mdh::runtime::opencl::limits_test {
namespace {

using kernel::Launch;

Device small_device() {
  Device device{.name = "small", .platform = "test"};
  device.max_work_group_size = 256;
  device.max_work_item_sizes = {256, 128, 64};
  device.local_mem_bytes = 32768;
  return device;
}

Diagnostic refusal(const Launch& launch, const FunctionNeeds& needs = {1 << 20, 0}) {
  return diagnostic_of([&] { check_limits(launch, needs, small_device()); });
}

TEST(Limits, what_the_device_can_do_is_allowed) {
  check_limits({"f", {1000, 1000, 1000}, {256, 1, 1}}, {256, 32768}, small_device());
  check_limits({"f", {1, 1, 1}, {2, 128, 1}}, {256, 0}, small_device());
  check_limits({"f", {1, 1, 1}, {2, 2, 64}}, {256, 0}, small_device());
}

TEST(Limits, items_per_axis) {
  const Diagnostic d = refusal({"f", {1, 1, 1}, {1, 129, 1}});
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E615");
  EXPECT_EQ(d.message,
            "kernel 'f' needs 129 items of a group along axis 1; small (test) has at most 128");
  EXPECT_EQ(d.hint, "give the items of a group fewer parts");
}

TEST(Limits, items_of_a_group) {
  EXPECT_EQ(refusal({"f", {1, 1, 1}, {256, 2, 1}}).message,
            "kernel 'f' needs groups of 512 items; small (test) has at most 256");
}

TEST(Limits, function_may_allow_fewer_items_than_the_device) {
  EXPECT_EQ(refusal({"f", {1, 1, 1}, {129, 1, 1}}, {128, 0}).message,
            "kernel 'f' needs groups of 129 items; small (test) has at most 128");
}

TEST(Limits, function_is_believed_that_was_built_for_its_items) {
  const kernel::Launch launch{"f", {1, 1, 1}, {100, 2, 1}};
  check_limits(launch, {128, 0, {100, 2, 1}}, small_device());
  EXPECT_EQ(refusal(launch, {128, 0, {200, 1, 1}}).code, "E615") << "for other ones";
  EXPECT_EQ(refusal({"f", {1, 1, 1}, {100, 3, 1}}, {128, 0, {100, 3, 1}}).message,
            "kernel 'f' needs groups of 300 items; small (test) has at most 256");
}

TEST(Limits, local_memory) {
  const Diagnostic d = refusal({"f", {1, 1, 1}, {1, 1, 1}}, {256, 40960});
  EXPECT_EQ(d.code, "E615");
  EXPECT_EQ(d.message,
            "kernel 'f' needs 40960 bytes of local memory; small (test) has at most 32768");
}

TEST(Limits, local_memory_is_checked_before_anything_is_compiled) {
  const auto refusal_of = [](int64_t bytes) {
    const kernel::Step launch{kernel::Launch{"f", {1, 1, 1}, {1, 1, 1}, bytes}};
    const kernel::Module module{.language = "opencl", .steps = {{kernel::Repeat{2, {launch}}}}};
    return diagnostic_of([&] { check_local_memory(module, small_device()); });
  };
  EXPECT_EQ(refusal_of(32769).code, "E615");
  EXPECT_EQ(refusal_of(32769).message,
            "kernel 'f' needs 32769 bytes of local memory; small (test) has at most 32768");
  EXPECT_EQ(refusal_of(32768).message, "(no error was raised)");
}

TEST(Limits, local_memory_that_the_driver_miscounts_by_an_element_is_allowed) {
  check_limits({"f", {1, 1, 1}, {1, 1, 1}}, {256, 32768 + 64}, small_device());
}

TEST(Limits, grid_that_has_too_many_items_to_count) {
  const Diagnostic d = refusal({"f", {INT64_MAX / 2, 1, 1}, {3, 1, 1}});
  EXPECT_EQ(d.code, "E615");
  EXPECT_EQ(d.message.find("kernel 'f' needs 4611686018427387903 groups of 3 items along axis 0; "),
            0u)
      << d.message;
}

TEST(Limits, empty_grid_is_a_bug) {
  EXPECT_EQ(refusal({"f", {0, 1, 1}, {1, 1, 1}}).kind, DiagnosticKind::internal);
  EXPECT_EQ(refusal({"f", {1, 1, 1}, {1, 1, 0}}).kind, DiagnosticKind::internal);
}

TEST(Limits, doubles_need_a_device_that_has_them) {
  kernel::Module module{.language = "opencl", .name = "f"};
  module.arguments = {{"y", "f32", 4, {1}, true}, {"x", "f64", 8, {1}, false}};
  Device device = small_device();
  const Diagnostic d = diagnostic_of([&] { check_types(module, device); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E617");
  EXPECT_EQ(d.message, "buffer 'x' holds doubles, which small (test) does not have");
  device.has_fp64 = true;
  check_types(module, device);
}

}  // namespace
}  // namespace mdh::runtime::opencl::limits_test
