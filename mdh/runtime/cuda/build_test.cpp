#include "mdh/runtime/cuda/build.h"

#include <chrono>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/cuda/places.h"
#include "mdh/runtime/cuda/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::cuda::build_test {
namespace {

using kernel::Launch;
using kernel::Module;

Module cuda_module(const std::string& body) {
  Module module{.language = "cuda", .name = "test"};
  module.source = "extern \"C\" __global__ void f(long *out, char *workspace) {\n" + body + "\n}\n";
  module.arguments = {{"out", "i64", 8, {8}, true}};
  module.steps = {{Launch{"f", {2, 1, 1}, {4, 1, 1}}}};
  return module;
}

Module numbers() { return cuda_module("  out[blockIdx.x * 4 + threadIdx.x] = threadIdx.x;"); }

Device hopper() { return described(*arch_from("sm_90")); }

Built built(const Module& module, const BuildLimits& limits = {.cache = Cache()},
            const Device& device = hopper()) {
  return build_modules({&module, 1}, device, limits).front();
}

// ---- what compilers are told

TEST(CudaOptions, ask_for_numbers_as_ieee_754_wants_them) {
  const std::vector<std::string> expected = {
      "--gpu-architecture=sm_90", "--std=c++17", "--ftz=false", "--prec-div=true",
      "--prec-sqrt=true",         "--fmad=true", "-w"};
  EXPECT_EQ(words_of({.arch = *arch_from("sm_90")}), expected);
}

TEST(CudaOptions, contraction_can_be_forbidden) {
  const auto words = words_of({.arch = *arch_from("sm_90"), .contract = false});
  EXPECT_NE(std::find(words.begin(), words.end(), "--fmad=false"), words.end());
  EXPECT_EQ(std::find(words.begin(), words.end(), "--fmad=true"), words.end());
}

TEST(CudaOptions, both_compilers_get_the_same_words) {
  const CompileOptions options{.arch = *arch_from("sm_80"), .flags = {"--maxrregcount=64"}};
  Compiler nvcc{.path = "/x/nvcc"}, nvrtc{.nvrtc = Nvrtc{}, .path = "/y/libnvrtc.so"};
  const auto words = words_of(options);
  auto by_program = command_line(nvcc, options, "worker", "a.cu", "a.cubin"),
       by_library = command_line(nvrtc, options, "worker", "a.cu", "a.cubin");
  EXPECT_EQ(std::vector(by_program.begin(), by_program.begin() + 5),
            (std::vector<std::string>{"/x/nvcc", "-cubin", "-o", "a.cubin", "a.cu"}));
  EXPECT_EQ(std::vector(by_library.begin(), by_library.begin() + 5),
            (std::vector<std::string>{"worker", "--nvrtc", "/y/libnvrtc.so", "a.cu", "a.cubin"}));
  EXPECT_EQ(std::vector(by_program.begin() + 5, by_program.end()), words);
  EXPECT_EQ(std::vector(by_library.begin() + 5, by_library.end()), words);
  EXPECT_EQ(words.front(), "--maxrregcount=64");
}

TEST(CudaOptions, ptx_is_for_devices_that_the_compiler_does_not_know) {
  Compiler compiler{.nvrtc = Nvrtc{.major = 12, .minor = 0, .archs = {50, 80, 90}}};
  const auto arch_on = [&](const std::string& arch) {
    return to_string(arch_for(described(*arch_from(arch)), compiler));
  };
  EXPECT_EQ(arch_on("sm_90"), "sm_90");
  EXPECT_EQ(arch_on("sm_90a"), "sm_90a");
  EXPECT_EQ(arch_on("sm_100"), "compute_90");
  EXPECT_EQ(arch_on("sm_89"), "compute_80");
  EXPECT_EQ(arch_on("compute_80"), "compute_80");
  const Diagnostic d = diagnostic_of([&] { arch_on("sm_37"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E647");
  compiler.nvrtc.reset();
  EXPECT_EQ(arch_on("sm_100"), "sm_100") << "nvcc is not asked";
}

// ---- which compiler

TEST(CudaCompilerChoice, none_is_missing_with_what_to_install) {
  const ScopedEnvironment no_nvrtc("MDH_NVRTC", "off"), no_nvcc("MDH_NVCC", "off");
  const Diagnostic d = diagnostic_of([] { built(numbers()); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E645");
  EXPECT_EQ(d.message,
            "there is no compiler for CUDA: neither the library NVRTC nor nvcc is found");
  EXPECT_NE(d.hint.find("pip install nvidia-cuda-nvrtc"), std::string::npos) << d.hint;
  for (const std::string name : {"nvcc", "nvrtc"}) {
    Module module = numbers();
    module.compiler = name;
    EXPECT_EQ(diagnostic_of([&] { built(module); }).code, "E645") << name;
  }
}

TEST(CudaCompilerChoice, library_that_is_named_and_is_none_is_missing) {
  const ScopedEnvironment nvrtc("MDH_NVRTC", "/nowhere/libnvrtc.so.12");
  const Diagnostic d = diagnostic_of([] { built(numbers()); });
  EXPECT_EQ(d.code, "E645");
  EXPECT_NE(d.message.find("/nowhere/libnvrtc.so.12"), std::string::npos) << d.message;
  const ScopedEnvironment other("MDH_NVRTC", "libc.so.6");
  EXPECT_NE(diagnostic_of([] { built(numbers()); }).message.find("has no nvrtcVersion"),
            std::string::npos);
}

TEST(CudaCompilerChoice, nvcc_is_taken_where_there_is_no_nvrtc) {
  const Script nvcc("echo called with \"$@\"; exit 1", "nvcc");
  const ScopedEnvironment no_nvrtc("MDH_NVRTC", "off"), named("MDH_NVCC", nvcc.path());
  const Built outcome = built(numbers());
  EXPECT_FALSE(outcome.object);
  EXPECT_EQ(outcome.failure.text.find("called with -cubin -o "), 0u) << outcome.failure.text;
}

/// A configuration of a stranger's must not start any program.
TEST(CudaCompilerChoice, path_of_another_nvcc_is_refused) {
  const Script nvcc("exit 0", "nvcc"), other("exit 0", "nvcc");
  const ScopedEnvironment named("MDH_NVCC", nvcc.path());
  Module module = numbers();
  module.compiler = nvcc.path();
  EXPECT_EQ(compiler_for(module, hopper()).path, nvcc.path());
  module.compiler = other.path();
  EXPECT_EQ(diagnostic_of([&] { compiler_for(module, hopper()); }).code, "E620");
}

// ---- by a compiler that copies

using CudaBuilds = FakeCuda;

TEST_F(CudaBuilds, modules_that_fail_are_lost_alone) {
  const Script nvcc(
      "[ \"$1\" = --version ] && exit 0\nif grep -q wrong \"$4\"; then echo 'kernels.cu(2): error: "
      "no'; exit 1; fi\ncp \"$4\" \"$3\"",
      "nvcc");
  const ScopedEnvironment named("MDH_NVCC", nvcc.path());
  Module wrong = fake_index();
  wrong.source += "wrong";
  Module large = fake_index();
  std::get<Launch>(large.steps[0].is).items = {2048, 1, 1};
  const auto groups =
      open()->build({{fake_index(), wrong}, {}, {large, fake_index()}}, {.cache = Cache()});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_TRUE(groups[0].at(0).object);
  EXPECT_FALSE(groups[0].at(1).object);
  EXPECT_EQ(groups[0][1].failure.kind, BuildFailure::Kind::refused);
  EXPECT_EQ(groups[0][1].failure.text, "kernels.cu(2): error: no");
  EXPECT_TRUE(groups[1].empty());
  EXPECT_FALSE(groups[2].at(0).object);
  EXPECT_NE(groups[2][0].failure.text.find("2048 items"), std::string::npos);
  EXPECT_TRUE(groups[2].at(1).object);
}

TEST_F(CudaBuilds, compiler_that_takes_too_long_is_ended) {
  const Script nvcc("[ \"$1\" = --version ] || sleep 60", "nvcc");
  const ScopedEnvironment named("MDH_NVCC", nvcc.path());
  const auto begin = std::chrono::steady_clock::now();
  const Module module = fake_index();
  const Built outcome = built(module, {.seconds = 0.3, .cache = Cache()});
  EXPECT_EQ(outcome.failure.kind, BuildFailure::Kind::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(diagnostic_of([&] {
              build_all({&module, 1}, hopper(), Purpose::calls, {.seconds = 0.3});
            }).code,
            "E607");
}

TEST_F(CudaBuilds, compiler_that_claims_success_and_leaves_nothing_has_failed) {
  const Script nvcc("exit 0", "nvcc");
  const ScopedEnvironment named("MDH_NVCC", nvcc.path());
  const Built outcome = built(fake_index());
  EXPECT_FALSE(outcome.object);
  EXPECT_NE(outcome.failure.text.find("without a word"), std::string::npos);
}

TEST_F(CudaBuilds, what_was_built_is_kept) {
  const TemporaryDirectory folder;
  const BuildLimits limits{.cache = Cache(folder.path())};
  EXPECT_FALSE(built(fake_index(), limits).object->from_cache);
  const Built again = built(fake_index(), limits);
  EXPECT_TRUE(again.object->from_cache);
  EXPECT_EQ(read_file(again.object->path), fake_index().source);
  BuildLimits anew = limits;
  anew.renew = true;
  EXPECT_FALSE(built(fake_index(), anew).object->from_cache);
}

TEST_F(CudaBuilds, needs_that_were_told_are_kept_beside_what_was_built) {
  const Script nvcc(
      "[ \"$1\" = --version ] && exit 0\ncp \"$4\" \"$3\"\n"
      "case \"$*\" in *--ptxas-options=-v*)\n"
      "echo \"ptxas info    : Compiling entry function 'f' for 'sm_90'\"\n"
      "echo 'ptxas info    : Function properties for f'\n"
      "echo '    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads'\n"
      "echo 'ptxas info    : Used 255 registers';; esac",
      "nvcc");
  const ScopedEnvironment named("MDH_NVCC", nvcc.path());
  const TemporaryDirectory folder;
  BuildLimits limits{.cache = Cache(folder.path())};
  EXPECT_TRUE(built(fake_index(), limits).needs.empty()) << "nobody asked";
  limits.tells_needs = true;  // what is kept does not tell: it is compiled again
  for (const bool is_kept : {false, true}) {
    const Built told = built(fake_index(), limits);
    EXPECT_EQ(told.object->from_cache, is_kept) << "asking changes nothing of what is compiled";
    ASSERT_EQ(told.needs.size(), 1u);
    EXPECT_EQ(told.needs.front().spilled_bytes, 12);
    EXPECT_EQ(told.needs.front().stack_bytes, 16);
  }
  limits.tells_needs = false;
  EXPECT_TRUE(built(fake_index(), limits).object->from_cache);
}

TEST_F(CudaBuilds, what_decides_about_code_decides_about_what_is_kept) {
  const TemporaryDirectory folder;
  const BuildLimits limits{.cache = Cache(folder.path())};
  built(fake_index(), limits);
  Module other = fake_index();
  other.contract_allowed = false;
  EXPECT_FALSE(built(other, limits).object->from_cache);
  other = fake_index();
  other.flags = {"--maxrregcount=64"};
  EXPECT_FALSE(built(other, limits).object->from_cache);
  other = fake_index();
  other.source += "\n";
  EXPECT_FALSE(built(other, limits).object->from_cache);
  EXPECT_FALSE(built(fake_index(), limits, described(*arch_from("sm_80"))).object->from_cache);
  const Script newer("if [ \"$1\" = --version ]; then echo newer; else cp \"$4\" \"$3\"; fi",
                     "nvcc");
  const ScopedEnvironment named("MDH_NVCC", newer.path());
  EXPECT_FALSE(built(fake_index(), limits).object->from_cache);
}

TEST_F(CudaBuilds, entry_that_the_driver_does_not_load_is_compiled_anew) {
  const TemporaryDirectory folder;
  const ScopedEnvironment cache("MDH_CACHE", folder.path().string());
  const Module module = fake_index();
  const Script broken("if [ \"$1\" = --version ]; then echo; else echo nonsense >\"$3\"; fi",
                      "nvcc");
  const Script mended(copying, "nvcc");
  // The same compiler to the eye: the path, its size and its time.
  const std::string nvcc = (folder.path() / "nvcc").string();
  const auto install = [&](const Script& script) {
    std::filesystem::remove(nvcc);
    std::string text = read_file(script.path());
    text.resize(200, '\n');
    write_file(nvcc, text);
    std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
    std::filesystem::last_write_time(nvcc, std::filesystem::file_time_type{});
  };
  const ScopedEnvironment named("MDH_NVCC", nvcc);
  install(broken);
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).code, "E647");
  install(mended);
  EXPECT_EQ(called(*load_one(module)).at(7), 7);
}

TEST_F(CudaBuilds, flags_that_are_refused_are_the_users_and_do_not_hinder_a_check) {
  const Script nvcc(
      "[ \"$1\" = --version ] && exit 0\ncase \"$*\" in *--bad*) echo 'nvcc fatal: --bad'; exit "
      "1;; "
      "esac\ncp \"$4\" \"$3\"",
      "nvcc");
  const ScopedEnvironment named("MDH_NVCC", nvcc.path());
  Module module = fake_index();
  module.flags = {"--bad"};
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  EXPECT_EQ(d.code, "E605");
  EXPECT_NE(d.message.find("nvcc fatal: --bad"), std::string::npos) << d.message;
  EXPECT_EQ(called(*open()->load({&module, 1}, Purpose::checks).front()).at(7), 7);
}

// ---- where things are

class Places : public testing::Test {
 protected:
  void make(const std::string& file) const {
    std::filesystem::create_directories((folder_.path() / file).parent_path());
    write_file(folder_.path() / file, "");
  }
  std::string path(const std::string& file) const { return (folder_.path() / file).string(); }
  bool is_place(const std::string& file) const {
    const auto all = places_of_nvrtc();
    return std::find(all.begin(), all.end(), path(file)) != all.end();
  }

  TemporaryDirectory folder_;
  ScopedEnvironment named_{"MDH_NVRTC", std::nullopt};
};

TEST_F(Places, wheels_are_found_without_python) {
  make("lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  make("lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
  make(".local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2");
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const ScopedEnvironment environment(variable, folder_.path().string());
    EXPECT_TRUE(is_place("lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
    EXPECT_TRUE(is_place("lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13"));
  }
  EXPECT_FALSE(is_place("lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13"));
  const ScopedEnvironment home("HOME", folder_.path().string());
  EXPECT_TRUE(
      is_place(".local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2"));
}

TEST_F(Places, toolkits_are_where_variables_say) {
  make("lib64/libnvrtc.so.12");
  make("lib64/libnvrtc.so");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const ScopedEnvironment environment(variable, folder_.path().string());
    const auto all = places_of_nvrtc();
    const auto numbered = std::find(all.begin(), all.end(), path("lib64/libnvrtc.so.12")),
               plain = std::find(all.begin(), all.end(), path("lib64/libnvrtc.so"));
    ASSERT_NE(numbered, all.end()) << variable;
    ASSERT_NE(plain, all.end()) << variable;
    EXPECT_LT(numbered, plain);
  }
  EXPECT_EQ(places_of_nvrtc().front(), "libnvrtc.so.13") << "newest first, wherever it is";
}

TEST_F(Places, of_the_user_is_the_only_one) {
  const ScopedEnvironment named("MDH_NVRTC", "/a/b");
  EXPECT_EQ(places_of_nvrtc(), std::vector<std::string>{"/a/b"});
  const ScopedEnvironment off("MDH_NVRTC", "off");
  EXPECT_TRUE(places_of_nvrtc().empty());
}

TEST_F(Places, nvcc_is_found_in_a_toolkit) {
  make("bin/nvcc");
  std::filesystem::permissions(path("bin/nvcc"), std::filesystem::perms::owner_all);
  const ScopedEnvironment none("MDH_NVCC", std::nullopt), nothing("PATH", "/nowhere"),
      home("CUDA_HOME", folder_.path().string());
  EXPECT_EQ(find_nvcc(), path("bin/nvcc"));
  const ScopedEnvironment off("MDH_NVCC", "off");
  EXPECT_EQ(find_nvcc(), "");
}

}  // namespace
}  // namespace mdh::runtime::cuda::build_test
