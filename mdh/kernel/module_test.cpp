#include "mdh/kernel/module.h"

#include <gtest/gtest.h>

namespace mdh::kernel::module_test {
namespace {

TEST(KernelArgument, elements_are_the_product_of_the_extents) {
  EXPECT_EQ((Argument{.extents = {3, 4, 5}}.elements()), 60);
  EXPECT_EQ((Argument{.extents = {7}}.elements()), 7);
}

TEST(KernelArgument, an_argument_without_extents_is_one_element) {
  EXPECT_EQ(Argument{}.elements(), 1);
}

TEST(KernelArgument, bytes_count_every_element) {
  EXPECT_EQ((Argument{.bytes_per_element = 8, .extents = {3, 4}}.bytes()), 96);
}

TEST(KernelArgument, large_arguments_are_counted_in_64_bits) {
  EXPECT_EQ((Argument{.bytes_per_element = 8, .extents = {1 << 20, 1 << 20}}.bytes()),
            int64_t{1} << 43);
}

TEST(KernelSteps, launches_come_in_order_with_the_indices_of_their_loops) {
  const std::vector<Step> steps = {{Launch{"first"}},
                                   {Repeat{2, {{Launch{"a"}}, {Repeat{2, {{Launch{"b"}}}}}}}}};
  std::string trace;
  for_each_launch(steps, [&](const Launch& launch, std::span<const int64_t> indices) {
    trace += launch.function;
    for (const int64_t n : indices) trace += std::to_string(n);
    trace += " ";
  });
  EXPECT_EQ(trace, "first a0 b00 b01 a1 b10 b11 ");
}

TEST(KernelSteps, written_launches_come_once_with_the_number_of_their_loops) {
  const std::vector<Step> steps = {{Launch{"first"}},
                                   {Repeat{0, {{Launch{"a"}}, {Repeat{9, {{Launch{"b"}}}}}}}}};
  std::string trace;
  for_each_written_launch(steps, [&](const Launch& launch, size_t loops) {
    trace += launch.function + std::to_string(loops) + " ";
  });
  EXPECT_EQ(trace, "first0 a1 b2 ");
}

TEST(KernelSteps, a_loop_that_repeats_nothing_launches_nothing) {
  for_each_launch(std::vector<Step>{{Repeat{0, {{Launch{"a"}}}}}},
                  [](const Launch&, std::span<const int64_t>) { FAIL(); });
}

}  // namespace
}  // namespace mdh::kernel::module_test
