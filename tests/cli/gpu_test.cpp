// Targets that are GPUs, on a machine with and without one: what is said of them, and what can be
// shown without any.
#include <gtest/gtest.h>

#include <regex>

#include <nlohmann/json.hpp>

#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "tests/cli/tool.h"

namespace mdh::test::cli_gpu_test {
namespace {

using runtime::ScopedEnvironment;

/// Neither CUDA nor OpenCL, whatever the machine has.
class NoGpu : public testing::Test {
 protected:
  const ScopedEnvironment cuda_{"MDH_LIBCUDA", "/nonexistent/libcuda.so.1"};
  const ScopedEnvironment opencl_{"OCL_ICD_VENDORS", "/nonexistent"};
  const ScopedEnvironment files_{"OCL_ICD_FILENAMES", std::nullopt};
  const ScopedEnvironment arch_{"MDH_CUDA_ARCH", std::nullopt};
};

const std::string no_driver = "there is no CUDA driver: /nonexistent/libcuda.so.1";

// ---- what is there

TEST_F(NoGpu, devices_says_so_and_why) {
  const Outcome o = mdh("devices");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.out.find("host: "), 0u) << o.out;
  EXPECT_TRUE(contains(o.out, "\ncuda: no device: " + no_driver)) << o.out;
  EXPECT_TRUE(contains(o.out, "\nopencl: no device: there is no OpenCL")) << o.out;
  EXPECT_FALSE(contains(o.out, "openmp")) << o.out;
}

TEST_F(NoGpu, doctor_finds_nothing_wrong_with_that) {
  const Outcome o = mdh("doctor");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "\ntarget cuda: no device: " + no_driver)) << o.out;
  EXPECT_TRUE(contains(o.out, "\ntarget opencl: no device: there is no OpenCL")) << o.out;
  EXPECT_FALSE(contains(o.out, "not built")) << o.out;
  EXPECT_EQ(o.err, "");
}

TEST_F(NoGpu, what_is_described_is_no_device) {
  const ScopedEnvironment arch("MDH_CUDA_ARCH", "sm_90");
  EXPECT_TRUE(contains(mdh("devices").out, "cuda: no device: there is only a description\n"));
  EXPECT_EQ(mdh("doctor").exit, 0);
}

class FakeGpu : public NoGpu {
 protected:
  const ScopedEnvironment driver_{"MDH_LIBCUDA", MDH_FAKE_CUDA_FILE};
};

TEST_F(FakeGpu, devices_tells_limits_and_rates) {
  const Outcome o = mdh("devices");
  EXPECT_EQ(o.exit, 0) << describe(o);
  for (const char* line :
       {"cuda:0 GPU: Fake GPU\n", "multiprocessors: 132\n", "memory: 8.0 GiB\n",
        "memory bandwidth: 4917 GB/s\n", "shared memory: 232448 bytes of a block\n",
        "registers: 65536 of a block", "threads of a block: 1024\n", "clock: 1980 MHz\n"}) {
    EXPECT_TRUE(contains(o.out, line)) << line << o.out;
  }
  EXPECT_FALSE(contains(o.out, "cuda: no device")) << o.out;
}

/// The device is there, so that it has to work; the other targets are tried all the same.
TEST_F(FakeGpu, doctor_says_what_to_do_without_a_compiler) {
  const ScopedEnvironment nvrtc("MDH_NVRTC", "off"), nvcc("MDH_NVCC", "off");
  const Outcome o = mdh("doctor");
  EXPECT_EQ(o.exit, 3) << describe(o);
  EXPECT_TRUE(contains(o.out, "target openmp: /")) << o.out;
  EXPECT_TRUE(contains(o.out, "\ntarget cuda: not usable\n")) << o.out;
  EXPECT_TRUE(contains(o.err, "there is no compiler for CUDA")) << o.err;
  EXPECT_TRUE(contains(o.err, "[E645]\nhint: pip install nvidia-cuda-nvrtc-cu12")) << o.err;
}

/// It runs a kernel before it says ok: this driver cannot load one.
TEST_F(FakeGpu, doctor_runs_a_kernel) {
  const runtime::Script nvcc("if [ \"$1\" = --version ]; then echo none; else echo x > \"$3\"; fi",
                             "nvcc");
  const ScopedEnvironment off("MDH_NVRTC", "off"), path("MDH_NVCC", nvcc.path());
  const Outcome o = mdh("doctor");
  EXPECT_EQ(o.exit, 3) << describe(o);
  EXPECT_TRUE(contains(o.out, "\ntarget cuda: not usable\n")) << o.out;
  EXPECT_TRUE(contains(o.err, "CUDA_ERROR_NO_BINARY_FOR_GPU")) << o.err;
}

TEST_F(NoGpu, doctor_says_ok_of_a_gpu_that_computes) {
  const runtime::cuda::HostGpu gpu;
  const Outcome o = mdh("doctor");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "\ntarget cuda: Fake GPU, ok\n")) << o.out;
}

/// A compiler whose kernels do nothing: by the clock of the fake GPU, each of their blocks takes a
/// microsecond.
const std::string idle_nvcc =
    "if [ \"$1\" = --version ]; then echo idle; else\n"
    "name=$(sed -n 's/.*__global__ void \\([a-z_]*\\)(.*/\\1/p' \"$4\")\n"
    "printf 'fake\\nfunction %s parameters 3 registers 32 shared 0 local 0 threads 1024 width 8 "
    "does nothing\\n' \"$name\" > \"$3\"; fi";

TEST_F(FakeGpu, doctor_measures_the_device_and_knows_it_from_then_on) {
  const TemporaryDirectory folder;
  const runtime::Script nvcc(idle_nvcc, "nvcc");
  const ScopedEnvironment compiler("MDH_NVCC", nvcc.path()), no_nvrtc("MDH_NVRTC", "off");
  const ScopedEnvironment data("XDG_DATA_HOME", folder.path().string());
  const ScopedEnvironment locks("MDH_DEVICE_LOCKS", folder.path().string());
  const ScopedEnvironment cache("MDH_CACHE", "off"), rates("MDH_RATES", std::nullopt);
  EXPECT_TRUE(
      contains(mdh("doctor").out,
               "\nrates of cuda: typical, not measured; 'mdh doctor --measure' measures\n"));
  const Outcome measured = mdh("doctor --measure");
  EXPECT_TRUE(contains(measured.out, "\nrates of cuda: measured just now, stored in '" +
                                         folder.path().string() + "/mdh/rates-"))
      << describe(measured);
  // One group is a launch of 1 us, and an H200 takes 0.95, which is about as long: typical is 1.2.
  EXPECT_TRUE(contains(measured.out, "\n  launch_ns: 1000, 1.05 of an H200; estimates take 1200\n"))
      << measured.out;
  EXPECT_TRUE(contains(measured.out, "\n  typical is barrier_cycles: not measured\n"));
  const std::string known = mdh("doctor").out;
  EXPECT_TRUE(contains(known, "\nrates of cuda: measured 20")) << known;
  EXPECT_TRUE(contains(known, "\n  launch 1200 ns, following launch 1000 ns\n")) << known;
}

/// Launches take one microsecond per block by the clock of this GPU, whatever the host does.
TEST_F(NoGpu, times_of_a_gpu_are_those_of_its_clock) {
  const runtime::cuda::HostGpu gpu;
  const Outcome o = mdh("run matvec --size 6,64 -q --no-records --target cuda");
  ASSERT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(std::regex_search(o.out, std::regex("\ntime: [0-9]+\\.000 us "))) << o.out;
  EXPECT_TRUE(contains(o.out, "\ndevice: Fake GPU (cuda:0); host: ")) << o.out;
  const Outcome second = mdh("run matvec --size 6,64 -q --no-records --target cuda:1");
  EXPECT_EQ(second.exit, 3) << describe(second);
  EXPECT_TRUE(contains(second.err, "there is no CUDA device 1")) << second.err;
}

TEST(Doctor, runs_a_kernel_on_every_device) {
  const std::string listed = mdh("devices").out;
  const Outcome o = mdh("doctor");
  for (const std::string target : {"opencl", "cuda"}) {
    if (!contains(listed, target + ":0 ")) continue;
    const size_t line = o.out.find("\ntarget " + target + ": ");
    ASSERT_NE(line, std::string::npos) << o.out;
    const std::string said = o.out.substr(line + 1, o.out.find('\n', line + 1) - line - 1);
    EXPECT_TRUE(said.ends_with(", ok")) << describe(o);
  }
}

// ---- what can be shown without a device

class ShownWithoutGpu : public NoGpu, public testing::WithParamInterface<const char*> {
 protected:
  static std::string target() { return std::string("--target ") + GetParam(); }
};

TEST_P(ShownWithoutGpu, every_stage) {
  for (const char* stage : {"--ll", "--table", "--footprint", "--plan", "--loop", "--source",
                            "--derivation", "--print-after barriers"}) {
    const Outcome o = mdh(std::string("show matvec --size 40,50 ") + stage + " " + target());
    EXPECT_EQ(o.exit, 0) << describe(o);
    EXPECT_NE(o.out, "") << stage;
    EXPECT_EQ(o.err.find("mdh: note: there is no "), 0u) << o.err;
    EXPECT_TRUE(contains(o.err, "; machine 'gpu")) << o.err;
    EXPECT_EQ(o.err.find('\n'), o.err.size() - 1) << "one note: " << o.err;
  }
}

TEST_P(ShownWithoutGpu, is_that_of_the_usual_machine) {
  const std::string machine = GetParam() == std::string("opencl") ? "gpu_nowarp" : "gpu";
  const std::string what = "show dot --size 1000 --source --no-records " + target();
  const Outcome named = mdh(what + " --machine " + machine);
  EXPECT_EQ(named.err, "") << "who names a machine knows";
  EXPECT_EQ(mdh(what).out, named.out);
  EXPECT_EQ(mdh(what + " -q").err, "");
}

TEST_P(ShownWithoutGpu, program_and_check) {
  const Outcome program = mdh("show dot " + target());
  EXPECT_EQ(program.exit, 0) << describe(program);
  EXPECT_EQ(program.out, mdh("show dot").out);
  EXPECT_EQ(program.err, "") << "the machine plays no role";
  const Outcome checked = mdh("check dot --size 1000 " + target());
  EXPECT_EQ(checked.exit, 0) << describe(checked);
  EXPECT_TRUE(contains(checked.out, "\"machine\": \"gpu")) << checked.out;
  EXPECT_TRUE(contains(checked.err, "mdh: note: there is no ")) << checked.err;
}

TEST_P(ShownWithoutGpu, but_nothing_runs) {
  for (const char* verb : {"run dot --size 100 ", "tune dot --size 100 --budget 1 "}) {
    EXPECT_EQ(mdh(verb + target()).exit, 3) << verb;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShownWithoutGpu, testing::Values("cuda", "opencl"),
                         [](const auto& info) { return info.param; });

/// A device of compute capability 8.0 has no clusters.
TEST_F(NoGpu, text_is_that_of_the_device_that_is_described) {
  const TemporaryDirectory scratch;
  const std::string file = (scratch.path() / "cluster.json").string();
  write_file(file, R"({"mdh_config": 1, "machine": "gpu", "layers": ["BLK", "THR", "SHR"],
      "split": {"i": ["BLK 3", "THR 32"], "k": ["BLK 4", "SHR 32"]},
      "order": ["BLK.i", "BLK.k", "THR.i", "SHR.k"],
      "code": {"combine": {"BLK.k": "cluster"}}})");
  const std::string of = " matvec --size 67,125 --target cuda --config " + file;
  const std::string note =
      "mdh: note: no effect on the code of target cuda yet: code.combine.BLK.k\n";
  for (const char* kind : {"sm_80", "sm_90"}) {
    const ScopedEnvironment arch("MDH_CUDA_ARCH", kind);
    const bool meets = kind == std::string("sm_90");
    const Outcome source = mdh("show" + of + " --source");
    EXPECT_EQ(source.exit, 0) << describe(source);
    EXPECT_EQ(contains(source.out, "__cluster_dims__"), meets) << source.out;
    EXPECT_EQ(contains(source.out, "run_matvec_2"), !meets) << source.out;
    EXPECT_EQ(source.err, meets ? "" : note);
    EXPECT_EQ(mdh("check" + of).err, meets ? "" : note);
    EXPECT_EQ(contains(mdh("show" + of + " --print-after all").out, "meet "), meets);
  }
}

/// The parts of a cluster lie in the memory of its groups, beside tiles: 256 x 256 numbers each.
TEST_F(NoGpu, check_counts_parts_of_clusters) {
  const TemporaryDirectory scratch;
  const auto check = [&](const std::string& how) {
    const std::string file = (scratch.path() / "parts.json").string();
    write_file(file, R"({"mdh_config": 1, "machine": "gpu", "layers": ["BLK", "THR", "SHR"],
        "split": {"i": ["THR 32", "SHR 8"], "j": ["SHR 256"], "k": ["BLK 8", "SHR 8"]},
        "order": ["BLK.k", "THR.i", "SHR.i", "SHR.j", "SHR.k"],
        "code": {"combine": {"BLK.k": ")" +
                         how + R"("}}})");
    return mdh("check matmul --size 256,256,64 --target cuda --config " + file);
  };
  EXPECT_EQ(check("partials_kernel").exit, 0);
  const Outcome o = check("cluster");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err,
                       "machine 'gpu': region SM holds 232448 bytes; the groups of kernel "
                       "'run_matmul_1' need 262144 [E349]"))
      << o.err;
  const ScopedEnvironment older("MDH_CUDA_ARCH", "sm_80");
  EXPECT_EQ(check("cluster").exit, 0) << "there are no clusters";
}

// ---- times

class OnDevice : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!contains(mdh("devices").out, GetParam() + ":0 ")) {
      GTEST_SKIP() << "SKIP: no device for target " << GetParam();
    }
  }
  static Outcome run(const std::string& options) {
    return mdh("run matvec --size 70,130 -q --no-records --target " + GetParam() + options);
  }
};

TEST_P(OnDevice, report_names_it_and_tells_the_time_of_the_host_apart) {
  const Outcome o = run("");
  ASSERT_EQ(o.exit, 0) << describe(o);
  const std::regex line("\ndevice: .+ \\(" + GetParam() + ":0\\); host: ([0-9.]+) us for a run");
  EXPECT_TRUE(std::regex_search(o.out, line)) << o.out;
}

TEST_P(OnDevice, caches_are_cold_where_that_is_possible) {
  const Outcome o = run(" --caches cold");
  if (GetParam() == "opencl") {
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_TRUE(contains(o.err,
                         "not supported: times of target opencl with cold caches [E650]\n"
                         "hint: take '--target cuda', or '--caches warm'"))
        << o.err;
    return;
  }
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, " with cold caches; mean ")) << o.out;
  EXPECT_TRUE(contains(run(" --caches cold --json").out, "\"caches\":\"cold\""));
}

TEST(Caches, are_warm_or_cold) {
  EXPECT_EQ(mdh("run dot --size 9 --target openmp -q --no-records --caches warm").exit, 0);
  for (const char* target : {"openmp", "reference"}) {
    const Outcome o = mdh(std::string("run dot --size 9 --caches cold --target ") + target);
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_TRUE(contains(o.err, "[E650]")) << o.err;
  }
  EXPECT_EQ(mdh("run dot --caches lukewarm").exit, 2);
}

TEST_P(OnDevice, json_has_both_times) {
  for (const char* where : {"", " --in-process"}) {
    const Outcome o = run(std::string(" --json") + where);
    ASSERT_EQ(o.exit, 0) << describe(o);
    const nlohmann::json report = nlohmann::json::parse(o.out);
    EXPECT_EQ(report["device"]["name"], GetParam() + ":0");
    EXPECT_NE(report["device"]["model"], "");
    EXPECT_GT(report["time_us"]["median"], 0);
    EXPECT_GT(report["host_us"], report["time_us"]["median"]) << "launches take time";
  }
}

INSTANTIATE_TEST_SUITE_P(All, OnDevice, testing::Values("cuda", "opencl"),
                         [](const auto& info) { return info.param; });

// ---- what compiled functions need

TEST_F(NoGpu, resources_are_those_of_the_compiler) {
  if (mdh("doctor").exit != 0) GTEST_SKIP() << "SKIP: mdh does not work here";
  const ScopedEnvironment arch("MDH_CUDA_ARCH", "sm_90");
  const Outcome o = mdh("show dot --size 1000 --target cuda --resources");
  if (contains(o.err, "[E645]")) GTEST_SKIP() << "SKIP: there is no compiler for CUDA";
  ASSERT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.out.find("function   registers  spilled bytes  stack bytes  shared bytes  threads\n"),
            0u)
      << o.out;
  EXPECT_TRUE(contains(o.out, "\nrun_dot_1 ")) << o.out;
  EXPECT_TRUE(contains(o.out, "\nrun_dot_2 ")) << o.out;
}

TEST_F(NoGpu, resources_tell_the_passes_of_shared_memory) {
  if (mdh("doctor").exit != 0) GTEST_SKIP() << "SKIP: mdh does not work here";
  const ScopedEnvironment arch("MDH_CUDA_ARCH", "sm_90");
  const std::string file = MDH_SOURCE_DIR "/bench/configs/sm_90/matmul_1024.json";
  const Outcome o =
      mdh("show matmul --size 1024,1024,1024 --target cuda --resources --config " + file);
  if (contains(o.err, "[E645]")) GTEST_SKIP() << "SKIP: there is no compiler for CUDA";
  ASSERT_EQ(o.exit, 0) << describe(o);
  // Four neighbours at once: a pass for eight threads.
  EXPECT_TRUE(contains(o.out,
                       "\nshared memory: B_sm read 4 numbers at once: 4 passes per warp (least 4); "
                       "written 4 numbers at once: 4 passes (least 4)\n"))
      << o.out;
}

TEST_F(NoGpu, resources_need_a_kind_of_gpu) {
  const Outcome o = mdh("show dot --size 1000 --target cuda --resources");
  EXPECT_EQ(o.exit, 3) << describe(o);
  EXPECT_TRUE(contains(o.err, "mdh: error: " + no_driver)) << o.err;
}

TEST(Resources, of_other_targets_are_not_told) {
  for (const char* target : {"openmp", "reference"}) {
    const Outcome o = mdh(std::string("show dot --size 1000 --resources --target ") + target);
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_TRUE(contains(o.err,
                         "not supported: what compiled functions need, with the target 'openmp' "
                         "[E649]\nhint: its compilers do not tell"))
        << o.err;
  }
}

}  // namespace
}  // namespace mdh::test::cli_gpu_test
