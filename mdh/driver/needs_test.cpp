#include "mdh/driver/needs.h"

#include <gtest/gtest.h>

#include "mdh/support/testing.h"

namespace mdh::driver::needs_test {
namespace {

TEST(Needs, are_a_row_per_function) {
  EXPECT_EQ(print_needs({{.function = "run_a",
                          .registers = 32,
                          .spilled_bytes = 8,
                          .local_bytes = 49152,
                          .items_per_group = 256,
                          .stack_bytes = 16},
                         {.function = "run_a_longer_name", .registers = 255}}),
            "function           registers  spilled bytes  stack bytes  shared bytes  threads\n"
            "run_a                     32              8           16         49152      256\n"
            "run_a_longer_name        255              ?            ?             ?        ?\n");
}

// ---- memory of groups

/// In a loop of the host, too.
kernel::Module launching(int64_t local_bytes) {
  kernel::Module module;
  const kernel::Step launch{kernel::Launch{.function = "run_a", .local_bytes = local_bytes}};
  module.steps = {kernel::Step{kernel::Repeat{.count = 2, .body = {launch}}}};
  return module;
}

TEST(MemoryOfGroups, is_that_of_the_machine) {
  machine::Machine m = machine::find_machine("gpu");
  EXPECT_NO_THROW(check_memory_of_groups(launching(232448), m));
  const Diagnostic d = diagnostic_of([&] { check_memory_of_groups(launching(232464), m); });
  EXPECT_EQ(d.code, "E349");
  EXPECT_EQ(
      d.message,
      "machine 'gpu': region SM holds 232448 bytes; the groups of kernel 'run_a' need 232464");
  for (machine::Region& region : m.regions) region.soft = true;
  EXPECT_NO_THROW(check_memory_of_groups(launching(232464), m));
  for (const char* unknown : {"cuda", "cpu"}) {
    EXPECT_NO_THROW(check_memory_of_groups(launching(1 << 30), machine::find_machine(unknown)));
  }
}

// ---- shared memory

using backend::BankPasses;
using backend::BankUse;
using backend::Direction;

BankUse use(const std::string& buffer, Direction direction, int64_t at_once,
            std::optional<BankPasses> passes) {
  return {Symbol{buffer, 0}, direction, at_once, passes};
}

TEST(BankUses, are_a_line_per_buffer_with_the_worst_in_each_direction) {
  EXPECT_EQ("\n" + print_bank_uses({
                       use("A_sm", Direction::written, 1, BankPasses{1, 1}),
                       use("A_sm", Direction::written, 1, BankPasses{2, 1}),
                       use("A_sm", Direction::read, 4, BankPasses{4, 4}),
                       use("B_sm", Direction::written, 2, BankPasses{2, 2}),
                       use("A_sm", Direction::read, 1, BankPasses{1, 1}),
                   }),
            R"(
shared memory: A_sm read 4 numbers at once: 4 passes per warp (least 4); written 1 number at once: 2 passes (least 1)
shared memory: B_sm written 2 numbers at once: 2 passes per warp (least 2)
)");
}

TEST(BankUses, few_passes_too_many_are_worse_than_many_that_are_necessary) {
  EXPECT_EQ(print_bank_uses({use("t", Direction::read, 1, BankPasses{2, 1}),
                             use("t", Direction::read, 4, BankPasses{4, 4})}),
            "shared memory: t read 1 number at once: 2 passes per warp (least 1)\n");
}

TEST(BankUses, what_is_unknown_is_said) {
  EXPECT_EQ(print_bank_uses({use("t", Direction::read, 1, BankPasses{1, 1}),
                             use("t", Direction::read, 1, std::nullopt),
                             use("t", Direction::written, 1, std::nullopt)}),
            "shared memory: t read 1 number at once: 1 pass per warp (least 1), others unknown; "
            "written: passes unknown\n");
  EXPECT_EQ(print_bank_uses({}), "");
}

}  // namespace
}  // namespace mdh::driver::needs_test
