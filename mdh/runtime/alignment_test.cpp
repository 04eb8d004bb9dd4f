#include "mdh/runtime/alignment.h"

#include <gtest/gtest.h>

#include <array>

#include "mdh/runtime/host/runtime.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::alignment_test {
namespace {

kernel::Argument of_bytes(int bytes, int64_t alignment = 0) {
  kernel::Argument argument{"x", "f32", bytes, {4}, false};
  argument.alignment = alignment;
  return argument;
}

TEST(Alignment, is_that_of_an_element_unless_the_code_needs_more) {
  EXPECT_EQ(of_bytes(1).aligned_to(), 1);
  EXPECT_EQ(of_bytes(2).aligned_to(), 2);
  EXPECT_EQ(of_bytes(4).aligned_to(), 4);
  EXPECT_EQ(of_bytes(8).aligned_to(), 8);
  EXPECT_EQ(of_bytes(4, 16).aligned_to(), 16);
  EXPECT_EQ(of_bytes(0).aligned_to(), 1);  // in a worker, which does not know
}

TEST(Alignment, of_records_is_at_most_that_of_their_largest_scalar) {
  EXPECT_EQ(of_bytes(12).aligned_to(), 4);
  EXPECT_EQ(of_bytes(16).aligned_to(), 8);
  EXPECT_EQ(of_bytes(24).aligned_to(), 8);
  EXPECT_EQ(of_bytes(3).aligned_to(), 1);
}

TEST(Alignment, error_names_the_argument_and_what_it_needs) {
  const std::array<kernel::Argument, 2> arguments = {of_bytes(4), of_bytes(4, 16)};
  const auto complaint = [&](uintptr_t first, uintptr_t second) {
    void* const pointers[] = {reinterpret_cast<void*>(first), reinterpret_cast<void*>(second)};
    return diagnostic_of([&] { require_aligned(arguments, pointers); });
  };
  EXPECT_EQ(complaint(0x1004, 0x1010).message, "(no error was raised)");
  EXPECT_EQ(complaint(0x1004, 0).message, "(no error was raised)");
  const Diagnostic d = complaint(0x1004, 0x1008);
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E640");
  EXPECT_EQ(d.message,
            "the memory of 'x' is at address 0x1008, which is not a multiple of 16 bytes, as the "
            "compiled code needs it");
  EXPECT_EQ(d.hint, "pass memory that is aligned to 16 bytes");
  EXPECT_EQ(complaint(0x1002, 0x1010).hint, "pass memory that is aligned to 4 bytes");
}

TEST(Alignment, is_asked_for_before_a_kernel_of_the_host_runs) {
  kernel::Module module = module_of("aligned", "out[0] = 1;");
  module.arguments[0].alignment = 64;
  const auto kernel = host::runtime().open("")->load({&module, 1}).front();
  alignas(64) std::array<long, 16> memory{};
  void *const good[] = {memory.data()}, *const bad[] = {memory.data() + 1};
  kernel->call(good, 1);
  EXPECT_EQ(memory[0], 1);
  EXPECT_EQ(diagnostic_of([&] { kernel->call(bad, 1); }).code, "E640");
  EXPECT_EQ(diagnostic_of([&] { kernel->run({.buffers = bad}); }).code, "E640");
  EXPECT_EQ(memory[1], 0) << "nothing ran";
}

}  // namespace
}  // namespace mdh::runtime::alignment_test
