#include "mdh/kernel/module.h"

#include <gtest/gtest.h>

namespace mdh::kernel {
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

}  // namespace
}  // namespace mdh::kernel
