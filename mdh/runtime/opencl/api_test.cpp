#include "mdh/runtime/opencl/api.h"

#include "mdh/runtime/opencl/discover.h"
#include "mdh/runtime/opencl/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::opencl::api_test {
namespace {

TEST(OpenClApi, loader_that_is_not_there_is_missing) {
  const Diagnostic d = diagnostic_of([] { load_api("libNoOpenCL.so.1"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E611");
  EXPECT_EQ(d.message.find("there is no OpenCL loader: libNoOpenCL.so.1: "), 0u) << d.message;
  EXPECT_EQ(d.hint,
            "apt-get install ocl-icd-libopencl1 pocl-opencl-icd, or install the driver of your "
            "device");
}

TEST(OpenClApi, library_that_is_no_loader_is_named) {
  const Diagnostic d = diagnostic_of([] { load_api("libc.so.6"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E611");
  EXPECT_EQ(d.message, "the OpenCL loader libc.so.6 has no clGetPlatformIDs");
}

TEST(OpenClApi, status_has_a_name) {
  EXPECT_EQ(status_name(CL_INVALID_KERNEL_ARGS), "CL_INVALID_KERNEL_ARGS");
  EXPECT_EQ(status_name(-9999), "error -9999");
}

TEST(OpenClApi, device_that_runs_out_is_missing_something_and_other_failures_are_bugs) {
  check(CL_SUCCESS, "clFinish");
  const Diagnostic full = diagnostic_of([] { check(CL_OUT_OF_RESOURCES, "clFinish"); });
  EXPECT_EQ(full.kind, DiagnosticKind::missing);
  EXPECT_EQ(full.code, "E616");
  const Diagnostic bug = diagnostic_of([] { check(CL_INVALID_VALUE, "clFinish"); });
  EXPECT_EQ(bug.kind, DiagnosticKind::internal);
  EXPECT_EQ(bug.message, "clFinish failed: CL_INVALID_VALUE");
}

// ---- loaders that find nothing

/// A loader without drivers.
Api without_platforms() {
  Api api{};
  api.get_platform_ids = [](cl_uint, cl_platform_id*, cl_uint*) -> cl_int { return -1001; };
  return api;
}

/// A driver whose device is not there.
Api without_devices() {
  Api api{};
  api.get_platform_ids = [](cl_uint, cl_platform_id* ids, cl_uint* count) -> cl_int {
    if (count != nullptr) *count = 1;
    if (ids != nullptr) *ids = nullptr;
    return CL_SUCCESS;
  };
  api.get_platform_info = [](cl_platform_id, cl_platform_info, size_t, void*,
                             size_t* bytes) -> cl_int {
    if (bytes != nullptr) *bytes = 0;
    return CL_SUCCESS;
  };
  api.get_device_ids = [](cl_platform_id, cl_device_type, cl_uint, cl_device_id*,
                          cl_uint*) -> cl_int { return CL_DEVICE_NOT_FOUND; };
  return api;
}

TEST(OpenClApi, machine_without_devices_is_told_what_to_install) {
  for (const Api& api : {without_platforms(), without_devices()}) {
    const Diagnostic d = diagnostic_of([&] { discover(api); });
    EXPECT_EQ(d.kind, DiagnosticKind::missing);
    EXPECT_EQ(d.code, "E612");
    EXPECT_EQ(d.message, "there is no OpenCL device");
    EXPECT_NE(d.hint.find("apt-get install ocl-icd-libopencl1 pocl-opencl-icd"), std::string::npos);
  }
}

}  // namespace
}  // namespace mdh::runtime::opencl::api_test
