#include "mdh/runtime/cuda/resources.h"

#include <gtest/gtest.h>

namespace mdh::runtime::cuda::resources_test {
namespace {

/// NVRTC 12.9, of a function that spills and one that does not.
TEST(CudaResources, are_read_from_a_log_of_nvrtc) {
  const auto all = resources_in_log(
      "ptxas info    : Overriding maximum register limit 256 for 'spilling' with  64 of "
      "maxrregcount option\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'spilling' for 'sm_90'\n"
      "ptxas info    : Function properties for spilling\n"
      "ptxas         .     1208 bytes stack frame, 2120 bytes spill stores, 2124 bytes spill "
      "loads\n"
      "ptxas info    : Used 64 registers, used 1 barriers, 1208 bytes cumulative stack size, 256 "
      "bytes smem\n"
      "ptxas info    : Compile time = 299.236 ms\n"
      "ptxas info    : Compiling entry function 'add' for 'sm_90'\n"
      "ptxas info    : Function properties for add\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 13 registers, used 1 barriers\n"
      "ptxas info    : Compile time = 7.857 ms\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].function, "spilling");
  EXPECT_EQ(all[0].registers, 64);
  EXPECT_EQ(all[0].spilled_bytes, 2120);
  EXPECT_EQ(all[0].stack_bytes, 1208);
  EXPECT_EQ(all[0].local_bytes, 256);
  EXPECT_FALSE(all[0].items_per_group);
  EXPECT_EQ(all[1].function, "add");
  EXPECT_EQ(all[1].registers, 13);
  EXPECT_EQ(all[1].spilled_bytes, 0);
  EXPECT_EQ(all[1].stack_bytes, 0);
  EXPECT_EQ(all[1].local_bytes, 0);
}

/// nvcc 13.0, with a function that is not inlined behind the one that is launched.
TEST(CudaResources, of_functions_that_are_called_are_those_of_the_caller) {
  const auto all = resources_in_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'caller' for 'sm_90'\n"
      "ptxas info    : Function properties for caller\n"
      "    160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 27 registers, used 0 barriers, 160 bytes cumulative stack size\n"
      "ptxas info    : Compile time = 29.390 ms\n"
      "ptxas info    : Function properties for _Z6helperPfi\n"
      "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].function, "caller");
  EXPECT_EQ(all[0].registers, 27);
  EXPECT_EQ(all[0].stack_bytes, 160);
  EXPECT_EQ(all[0].spilled_bytes, 0) << "not those of the other function";
}

/// CUDA 11 writes constant memory behind, and "used" is not there.
TEST(CudaResources, are_read_from_older_logs) {
  const auto all = resources_in_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'f' for 'sm_80'\n"
      "ptxas info    : Function properties for f\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 32 registers, 4096 bytes smem, 376 bytes cmem[0]\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].registers, 32);
  EXPECT_EQ(all[0].local_bytes, 4096);
}

TEST(CudaResources, other_texts_have_none) {
  EXPECT_TRUE(resources_in_log("").empty());
  EXPECT_TRUE(resources_in_log("Used 12 registers\n4 bytes spill stores\n").empty());
  const auto cut = resources_in_log("Compiling entry function 'f' for 'sm_90'\n");
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_FALSE(cut[0].registers);
  EXPECT_FALSE(cut[0].spilled_bytes);
}

}  // namespace
}  // namespace mdh::runtime::cuda::resources_test
