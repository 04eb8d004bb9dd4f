#include <gtest/gtest.h>

#include "mdh/runtime/cuda/driver_api.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::cuda::status_test {
namespace {

Diagnostic of(int status) {
  return diagnostic_of([&] { check(status, "cuSomething"); });
}

TEST(CudaStatus, has_a_name) {
  EXPECT_EQ(status_name(0), "CUDA_SUCCESS");
  EXPECT_EQ(status_name(209), "CUDA_ERROR_NO_BINARY_FOR_GPU");
  EXPECT_EQ(status_name(716), "CUDA_ERROR_MISALIGNED_ADDRESS");
  EXPECT_EQ(status_name(12345), "error 12345");
}

TEST(CudaStatus, success_is_no_failure) { check(success, "cuSomething"); }

TEST(CudaStatus, device_that_runs_out_is_missing_something) {
  for (const int status : {2, 701}) {
    EXPECT_EQ(of(status).kind, DiagnosticKind::missing);
    EXPECT_EQ(of(status).code, "E616");
    EXPECT_FALSE(breaks_context(status));
  }
  EXPECT_EQ(of(2).message,
            "the CUDA device ran out of memory or resources (CUDA_ERROR_OUT_OF_MEMORY in "
            "cuSomething)");
}

TEST(CudaStatus, kernels_that_go_wrong_break_their_context) {
  for (const int status : {700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 214}) {
    EXPECT_TRUE(breaks_context(status)) << status;
    EXPECT_EQ(of(status).code, "E646") << status;
    EXPECT_EQ(of(status).kind, DiagnosticKind::internal) << status;
  }
  EXPECT_EQ(of(700).message,
            "a kernel broke its CUDA context: it used an address outside of its memory "
            "(CUDA_ERROR_ILLEGAL_ADDRESS in cuSomething)");
  for (const int status : {0, 1, 2, 100, 201, 209, 218, 500, 600, 701, 803, 999}) {
    EXPECT_FALSE(breaks_context(status)) << status;
  }
}

TEST(CudaStatus, what_the_driver_cannot_do_is_missing_with_advice) {
  for (const int status : {3, 34, 46, 100, 200, 209, 221, 222, 802, 803, 804, 805}) {
    EXPECT_EQ(of(status).kind, DiagnosticKind::missing) << status;
    EXPECT_EQ(of(status).code, "E647") << status;
    EXPECT_FALSE(of(status).hint.empty()) << status;
  }
  EXPECT_EQ(of(222).message,
            "the compiler is newer than the CUDA driver (CUDA_ERROR_UNSUPPORTED_PTX_VERSION in "
            "cuSomething)");
}

TEST(CudaStatus, all_else_is_a_bug) {
  EXPECT_EQ(of(1).kind, DiagnosticKind::internal);
  EXPECT_EQ(of(1).message, "cuSomething failed: CUDA_ERROR_INVALID_VALUE");
  EXPECT_EQ(of(4711).message, "cuSomething failed: error 4711");
}

}  // namespace
}  // namespace mdh::runtime::cuda::status_test
