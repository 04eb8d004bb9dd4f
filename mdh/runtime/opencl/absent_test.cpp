#include <gtest/gtest.h>

#include "mdh/runtime/opencl/device.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::opencl::absent_test {
namespace {

TEST(WithoutOpenClHeaders, what_to_do_is_said) {
  for (const Diagnostic& d :
       {diagnostic_of([] { devices(); }), diagnostic_of([] { find_device("opencl:0"); })}) {
    EXPECT_EQ(d.kind, DiagnosticKind::missing);
    EXPECT_EQ(d.code, "E610");
    EXPECT_EQ(d.message, "mdh was built without OpenCL");
    EXPECT_EQ(d.hint, "apt-get install opencl-c-headers, and build mdh again");
  }
}

}  // namespace
}  // namespace mdh::runtime::opencl::absent_test
