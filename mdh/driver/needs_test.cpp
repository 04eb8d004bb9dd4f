#include "mdh/driver/needs.h"

#include <gtest/gtest.h>

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
