// The real compilers, where they are installed. No GPU is needed.
#include "mdh/runtime/cuda/nvrtc.h"

#include <gtest/gtest.h>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/cuda/build.h"
#include "mdh/runtime/cuda/places.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::cuda::nvrtc_test {
namespace {

using kernel::Launch;
using kernel::Module;

Module module_with(const std::string& source, const std::string& function = "f") {
  Module module{.language = "cuda", .name = "test", .source = source};
  module.arguments = {{"z", "f32", 4, {6400}, true}, {"x", "f32", 4, {6400}, false}};
  module.steps = {{Launch{function, {1, 1, 1}, {32, 1, 1}, 128}}};
  return module;
}

/// z = x * x + x, in dynamic shared memory.
Module small() {
  return module_with(
      "extern \"C\" __global__ void f(float *z, const float *x, char *workspace) {\n"
      "  extern __shared__ __align__(16) char shared[];\n"
      "  float *tile = (float *)shared;\n"
      "  tile[threadIdx.x] = x[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  z[threadIdx.x] = tile[31 - threadIdx.x] * tile[threadIdx.x] + x[threadIdx.x];\n}\n");
}

Device hopper() { return described(*arch_from("sm_90")); }

/// With each of the compilers, or a reason to skip.
class CudaCompilers : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const bool is_there = GetParam() == "nvcc" ? !find_nvcc().empty() : find_nvrtc().has_value();
    if (!is_there) GTEST_SKIP() << "SKIP: there is no " << GetParam();
  }

  static Built built(Module module, const Device& device = hopper(), double seconds = 120) {
    module.compiler = GetParam();
    const BuildLimits limits{.seconds = seconds, .cache = Cache()};
    return build_modules({&module, 1}, device, limits).front();
  }

  static std::vector<Resources> needs(Module module) {
    module.compiler = GetParam();
    return compiled_needs({&module, 1}, hopper()).at(0);
  }
};

TEST_P(CudaCompilers, make_a_cubin_without_a_gpu) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  const Built outcome = built(small());
  ASSERT_TRUE(outcome.object) << outcome.failure.text;
  EXPECT_EQ(read_file(outcome.object->path).substr(0, 4),
            "\x7f"
            "ELF");
}

TEST_P(CudaCompilers, make_ptx_if_it_is_asked_for) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  const Built outcome = built(small(), described(*arch_from("compute_90")));
  ASSERT_TRUE(outcome.object) << outcome.failure.text;
  EXPECT_NE(read_file(outcome.object->path).find(".visible .entry f("), std::string::npos);
}

/// Whether products and sums are joined is seen in the PTX.
TEST_P(CudaCompilers, contract_only_if_they_may) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  Module module = small();
  const auto joins = [&](bool allowed) {
    module.contract_allowed = allowed;
    const Built outcome = built(module, described(*arch_from("compute_90")));
    const std::string ptx = outcome.object ? read_file(outcome.object->path) : "";
    EXPECT_FALSE(ptx.empty()) << outcome.failure.text;
    return ptx.find("fma.rn.f32") != std::string::npos;
  };
  EXPECT_TRUE(joins(true));
  EXPECT_FALSE(joins(false));
}

TEST_P(CudaCompilers, divide_and_round_as_ieee_754_wants) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  const Module module = module_with(
      "extern \"C\" __global__ void f(float *z, const float *x, char *workspace) {\n"
      "  z[threadIdx.x] = x[threadIdx.x] / z[threadIdx.x];\n"
      "}\n");
  const Built outcome = built(module, described(*arch_from("compute_90")));
  ASSERT_TRUE(outcome.object) << outcome.failure.text;
  const std::string ptx = read_file(outcome.object->path);
  EXPECT_NE(ptx.find("div.rn.f32"), std::string::npos) << ptx;
}

TEST_P(CudaCompilers, refuse_with_their_words) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  Module module = small();
  module.source += "this is no language\n";
  const Built outcome = built(module);
  EXPECT_FALSE(outcome.object);
  EXPECT_EQ(outcome.failure.kind, BuildFailure::Kind::refused);
  EXPECT_NE(outcome.failure.text.find("kernels.cu(8): error: "), std::string::npos)
      << outcome.failure.text;
  module.compiler = GetParam();
  try {
    build_all({&module, 1}, hopper(), Purpose::calls, {.cache = Cache()});
    FAIL() << "it was built";
  } catch (const kernel::Refused& e) {
    EXPECT_NE(e.diagnostic().message.find("    8 | this is no language\n"), std::string::npos)
        << e.diagnostic().message;
  }
}

/// Code of so many different statements that no compiler is done with it soon.
TEST_P(CudaCompilers, are_ended_when_they_take_too_long) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  std::string body;
  for (int n = 0; n < 20000; ++n)
    body += fmt::format("  z[x[{}] > z[{}]] += x[{}];\n", n, n, n + 1);
  const Module module = module_with(
      "extern \"C\" __global__ void f(float *z, const float *x, char *workspace) {\n" + body + "}");
  const Built outcome = built(module, hopper(), 0.5);
  EXPECT_FALSE(outcome.object);
  EXPECT_EQ(outcome.failure.kind, BuildFailure::Kind::timed_out) << outcome.failure.text;
}

TEST_P(CudaCompilers, tell_what_functions_need) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  const std::vector<Resources> all = needs(small());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].function, "f");
  EXPECT_GE(all[0].registers.value(), 4);
  EXPECT_LE(all[0].registers.value(), 64);
  EXPECT_EQ(all[0].spilled_bytes, 0);
  EXPECT_EQ(all[0].local_bytes, 128) << "that of the launch included";
  EXPECT_EQ(all[0].items_per_group, 32);
}

/// Functions are told apart by name, and launched several times they need what they need most.
TEST_P(CudaCompilers, tell_what_the_functions_of_many_modules_need) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  const char* const text =
      "extern \"C\" __global__ void {}(float *z, const float *x, char *workspace) {{\n"
      "  __shared__ float fixed[{}];\n"
      "  fixed[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n"
      "  z[threadIdx.x] = fixed[31 - threadIdx.x];\n}}\n";
  Module one = module_with(fmt::format(fmt::runtime(text), "g", 64), "g");
  one.source += fmt::format(fmt::runtime(text), "h", 32);
  one.steps = {{Launch{"h", {1, 1, 1}, {8, 4, 1}, 0}},
               {Launch{"g", {1, 1, 1}, {32, 1, 1}, 100}},
               {Launch{"g", {1, 1, 1}, {64, 1, 1}, 12}}};
  Module other = small();
  other.contract_allowed = !one.contract_allowed;  // compiled in another way
  for (Module* module : {&one, &other}) module->compiler = GetParam();
  const Module both[] = {one, other};
  const auto all = compiled_needs(both, hopper());
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(all[0].size(), 2u);
  EXPECT_EQ(all[0][0].function, "h");
  EXPECT_EQ(all[0][0].local_bytes, 128);
  EXPECT_EQ(all[0][0].items_per_group, 32);
  EXPECT_EQ(all[0][1].function, "g");
  EXPECT_EQ(all[0][1].local_bytes, 256 + 100);
  EXPECT_EQ(all[0][1].items_per_group, 64);
  ASSERT_EQ(all[1].size(), 1u);
  EXPECT_EQ(all[1][0].function, "f");
}

/// 200 values at a time do not fit into 64 registers.
TEST_P(CudaCompilers, tell_what_they_spill) {
  const ScopedEnvironment worker("MDH_WORKER", MDH_WORKER_FILE);
  Module module = module_with(
      "extern \"C\" __global__ void f(float *z, const float *x, char *workspace) {\n"
      "  float a[200];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 200; ++i) a[i] = x[i * 32 + threadIdx.x];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 200; ++i) a[i] = a[i] * a[(i + 7) % 200] + a[(i + 31) % 200];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 200; ++i) z[i * 32 + threadIdx.x] = a[i];\n}\n");
  module.flags = {"--maxrregcount=64"};
  const std::vector<Resources> all = needs(module);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_LE(all[0].registers.value(), 64);
  EXPECT_GT(all[0].spilled_bytes.value(), 0);
  EXPECT_GT(all[0].stack_bytes.value(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, CudaCompilers, testing::Values("nvrtc", "nvcc"),
                         [](const auto& name) { return name.param; });

TEST(Nvrtc, works_in_this_process_where_there_is_no_worker) {
  if (!find_nvrtc()) GTEST_SKIP() << "SKIP: there is no NVRTC";
  const ScopedEnvironment none("MDH_WORKER", std::nullopt);  // nor is there one beside this program
  const Module module = small();
  const Built outcome = build_modules({&module, 1}, hopper(), {.cache = Cache()}).front();
  EXPECT_TRUE(outcome.object) << outcome.failure.text;
}

TEST(Nvrtc, tells_its_version_and_what_it_knows) {
  const auto nvrtc = find_nvrtc();
  if (!nvrtc) GTEST_SKIP() << "SKIP: there is no NVRTC";
  EXPECT_GE(nvrtc->major, 11);
  EXPECT_FALSE(nvrtc->archs.empty());
  EXPECT_TRUE(std::is_sorted(nvrtc->archs.begin(), nvrtc->archs.end()));
  EXPECT_TRUE(std::filesystem::exists(nvrtc->library)) << nvrtc->library;
  EXPECT_EQ(nvrtc->fingerprint.find(fmt::format("NVRTC {}.{} ", nvrtc->major, nvrtc->minor)), 0u);
}

TEST(Nvrtc, of_a_later_generation_than_the_driver_is_the_last_choice) {
  const auto newest = find_nvrtc();
  if (!newest) GTEST_SKIP() << "SKIP: there is no NVRTC";
  const auto for_old_driver = find_nvrtc(11020);
  ASSERT_TRUE(for_old_driver);
  EXPECT_LE(for_old_driver->major, newest->major);
  EXPECT_EQ(find_nvrtc(99000)->library, newest->library);
}

TEST(Nvrtc, program_of_its_own_wants_its_arguments) {
  EXPECT_EQ(compile_as_program({"a", "b"}), 2);
  EXPECT_EQ(compile_as_program({"/nowhere/libnvrtc.so", "b", "c"}), 3);
}

}  // namespace
}  // namespace mdh::runtime::cuda::nvrtc_test
