// For tests: tiny kernels of hand-written text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mdh/support/diagnostic.h"
#include "tests/emulation/device.h"

namespace mdh::emulation {

/// Tests that run kernels are skipped where nothing compiles them.
template <class Kind>
class OnEmulation : public Kind {
 protected:
  void SetUp() override {
    if (const std::string lacks = missing_here(); !lacks.empty()) GTEST_SKIP() << "SKIP: " << lacks;
  }
};

/// Eight numbers of i32: `out` is written and `in`, 0 to 7, is read. Two groups of four items with
/// 64 bytes of local memory; 128 bytes of workspace. In the body, i is the item of the group, and g
/// that of all.
inline kernel::Module tiny_module(const std::string& language, const std::string& body) {
  kernel::Module m{.language = language, .name = "tiny"};
  const bool is_opencl = language == "opencl";
  m.source =
      is_opencl
          ? "__kernel void tiny_1(__global int *restrict out, __global const int *restrict in,\n"
            "                     __global char *workspace) {\n"
            "  const long i = get_local_id(0), g = get_global_id(0);\n" +
                body + "\n}\n"
          : "extern __shared__ __align__(16) char mdh_shared[];\n"
            "extern \"C\" __global__ void tiny_1(int *__restrict__ out, const int *__restrict__ "
            "in,\n"
            "    char *workspace) {\n"
            "  const long i = threadIdx.x, g = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                body + "\n}\n";
  m.steps = {{kernel::Launch{"tiny_1", {2, 1, 1}, {4, 1, 1}, 64}}};
  m.arguments = {{"out", "i32", 4, {8}, true}, {"in", "i32", 4, {8}, false}};
  m.workspace_bytes = 128;
  return m;
}

/// What the emulation says against a tiny module, or nothing; `out` is what it computed.
inline std::string complaint_about(const kernel::Module& module,
                                   std::vector<int>* result = nullptr) {
  const auto kernel = device()->load({&module, 1}).front();
  std::vector<int> out(8, -1), in = {0, 1, 2, 3, 4, 5, 6, 7};
  void* const buffers[] = {out.data(), in.data()};
  try {
    kernel->call(buffers, 1);
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostic().kind, DiagnosticKind::wrong_result);
    return e.diagnostic().message;
  }
  if (result != nullptr) *result = out;
  return "";
}

inline testing::AssertionResult tells(const kernel::Module& module, const std::string& text) {
  const std::string complaint = complaint_about(module);
  if (complaint.find(text) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << complaint << "' does not tell '" << text << "'";
}

}  // namespace mdh::emulation
