// Printed CUDA is taken by compilers, on machines without a GPU: by NVRTC or nvcc, which tell what
// the functions need, and by clang, which checks the text alone.
#include <gtest/gtest.h>

#include <set>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/cuda/compiler.h"
#include "mdh/runtime/cuda/runtime.h"
#include "mdh/runtime/process.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "tests/cuda/texts.h"

namespace mdh::test::cuda_test {
namespace {

using runtime::Resources;
using runtime::ScopedEnvironment;

// ---- by a compiler of CUDA

/// For the kind of GPU that the user has chosen, else one that asynchronous copies work on.
std::shared_ptr<const runtime::Device> device_to_build_for() {
  const std::optional<std::string> chosen =
      std::getenv("MDH_CUDA_ARCH") ? std::getenv("MDH_CUDA_ARCH") : "sm_90";
  const ScopedEnvironment arch("MDH_CUDA_ARCH", chosen);
  return runtime::cuda::runtime().open("cuda");
}

/// Why there is no compiler; empty if there is one.
std::string no_compiler() {
  try {
    runtime::cuda::compiler_for({.language = "cuda"}, {});
    return "";
  } catch (const Error& e) {
    return e.diagnostic().message;
  }
}

std::vector<kernel::Module> modules_of(const CudaUnit& unit) {
  std::vector<kernel::Module> modules;
  for (const CudaText& text : unit.texts) modules.push_back(text.module);
  return modules;
}

void print_row(const std::string& text, const std::string& function, const std::string& registers,
               const std::string& spilled, const std::string& stack, const std::string& shared,
               const std::string& threads) {
  fmt::print("{:<32} {:<28} {:>9} {:>9} {:>9} {:>9} {:>9}\n", text, function, registers, spilled,
             stack, shared, threads);
}

void print_table(const CudaUnit& unit, const std::vector<std::vector<Resources>>& needs) {
  print_row("text", "function", "registers", "spilled", "stack", "shared", "threads");
  const auto number = [](const std::optional<int64_t>& n) {
    return n ? std::to_string(*n) : std::string("?");
  };
  for (size_t n = 0; n < needs.size(); ++n) {
    for (const Resources& f : needs[n]) {
      print_row(unit.texts[n].name, f.function, number(f.registers), number(f.spilled_bytes),
                number(f.stack_bytes), number(f.local_bytes), number(f.items_per_group));
    }
  }
}

std::set<std::string> functions_of(const kernel::Module& module) {
  std::set<std::string> names;
  kernel::for_each_written_launch(
      module.steps, [&](const kernel::Launch& launch, size_t) { names.insert(launch.function); });
  return names;
}

class PrintedCuda : public testing::TestWithParam<std::string> {};

TEST_P(PrintedCuda, is_compiled_and_its_needs_are_known) {
  if (const std::string why = no_compiler(); !why.empty()) GTEST_SKIP() << "SKIP: " << why;
  const CudaUnit unit = cuda_unit(GetParam());
  const auto needs = device_to_build_for()->needs_of(modules_of(unit));
  ASSERT_EQ(needs.size(), unit.texts.size());
  print_table(unit, needs);
  for (size_t n = 0; n < needs.size(); ++n) {
    const std::set<std::string> launched = functions_of(unit.texts[n].module);
    std::set<std::string> told;
    for (const Resources& f : needs[n]) {
      told.insert(f.function);
      EXPECT_GT(f.registers.value_or(0), 0) << f.function;
      EXPECT_GE(f.local_bytes.value_or(-1), 0) << f.function;
      if (GetParam().starts_with("measured_")) {
        EXPECT_EQ(f.spilled_bytes, 0) << f.function;
        EXPECT_EQ(f.stack_bytes, 0) << f.function;
      }
    }
    EXPECT_EQ(told, launched) << unit.texts[n].name;
    EXPECT_FALSE(launched.empty()) << unit.texts[n].name;
  }
}

// ---- by clang

std::string clang() { return runtime::find_program("clang++"); }

/// What clang says of a text; empty if it is fine.
std::string said_by_clang(const std::string& source) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "kernels.cu";
  write_file(file, source);
  const runtime::Exit exit = runtime::run_program(
      {clang(), "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
       "-D__syncwarp()=__nvvm_bar_warp_sync(0xffffffffu)", "-fsyntax-only", "--cuda-gpu-arch=sm_80",
       "-Wno-unknown-cuda-version", "-include", MDH_SOURCE_DIR "/tests/cuda/declarations.h", file},
      folder.path(), 120);
  return exit.status == 0 ? "" : fmt::format("exit code {}\n{}", exit.status, exit.output);
}

/// Clang without its part for GPUs says nothing about kernels.
std::string no_clang() {
  if (clang().empty()) return "there is no clang++";
  const std::string said =
      said_by_clang("extern \"C\" __global__ void f(int *a) { a[threadIdx.x] = 0; }\n");
  return said.empty() ? "" : "clang++ knows no CUDA here: " + said;
}

std::string source_of(const CudaUnit& unit) {
  std::string source;
  for (const CudaText& text : unit.texts) source += text.module.source;
  return source;
}

TEST_P(PrintedCuda, is_taken_by_clang_without_headers) {
  if (const std::string why = no_clang(); !why.empty()) GTEST_SKIP() << "SKIP: " << why;
  EXPECT_EQ(said_by_clang(source_of(cuda_unit(GetParam()))), "");
}

INSTANTIATE_TEST_SUITE_P(All, PrintedCuda, testing::ValuesIn(cuda_unit_names()),
                         [](const auto& info) { return info.param; });

// ---- that both can say no

struct Mistake {
  std::string name, right, wrong;
};

class MistakeInCuda : public testing::TestWithParam<Mistake> {
 protected:
  /// With a barrier, and copies in flight or without.
  static kernel::Module mistaken() {
    kernel::Module module = cuda_unit("stored_matmul_1024").texts.at(0).module;
    const size_t at = module.source.find(GetParam().right);
    EXPECT_NE(at, std::string::npos) << module.source;
    module.source.replace(at, GetParam().right.size(), GetParam().wrong);
    return module;
  }
};

TEST_P(MistakeInCuda, is_seen_by_compilers_of_cuda) {
  if (const std::string why = no_compiler(); !why.empty()) GTEST_SKIP() << "SKIP: " << why;
  const kernel::Module module = mistaken();
  EXPECT_THROW(device_to_build_for()->needs_of({&module, 1}), kernel::Refused);
}

TEST_P(MistakeInCuda, is_seen_by_clang) {
  if (const std::string why = no_clang(); !why.empty()) GTEST_SKIP() << "SKIP: " << why;
  EXPECT_NE(said_by_clang(mistaken().source), "");
}

INSTANTIATE_TEST_SUITE_P(All, MistakeInCuda,
                         testing::Values(Mistake{"barrier", "__syncthreads()", "__syncthread()"},
                                         Mistake{"axis", "threadIdx.x", "threadIdx.w"},
                                         Mistake{"bounds", "__launch_bounds__(", "__bounds__("},
                                         Mistake{"type", "const float *", "const half *"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mdh::test::cuda_test
