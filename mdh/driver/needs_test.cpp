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

}  // namespace
}  // namespace mdh::driver::needs_test
