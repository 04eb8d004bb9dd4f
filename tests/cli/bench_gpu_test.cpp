// mdh bench gpu: with a GPU that is not there, with peers that are stubs, and from recordings.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/runtime/process.h"
#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::bench_gpu_test {
namespace {

using nlohmann::json;
using runtime::ScopedEnvironment;

const std::string quick = "bench gpu -q --quick --rounds 2 ";

/// A run on the fake GPU.
struct Ran {
  Outcome outcome;
  json recording;
};

Ran ran(const std::string& options) {
  const runtime::cuda::HostGpu gpu;
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "gpu.json";
  Ran result{mdh(quick + options + " --json " + file), {}};
  EXPECT_EQ(result.outcome.exit, 0) << describe(result.outcome);
  result.recording = json::parse(read_file(file));
  const Outcome again = mdh("bench gpu --from " + file);
  EXPECT_EQ(again.out, result.outcome.out) << "the table needs no device";
  return result;
}

json candidate(const Ran& from, const std::string& name) {
  for (const json& one : from.recording["workloads"][0]["candidates"]) {
    if (one["name"] == name) return one;
  }
  ADD_FAILURE() << "no candidate " << name << " in " << from.recording;
  return {};
}

TEST(BenchGpu, without_a_gpu_it_says_what_is_missing) {
  const ScopedEnvironment driver("MDH_LIBCUDA", "/nonexistent/libcuda.so.1");
  const ScopedEnvironment arch("MDH_CUDA_ARCH", std::nullopt);
  const Outcome o = mdh("bench gpu --workloads tiny_dot");
  EXPECT_EQ(o.exit, 3) << describe(o);
  EXPECT_TRUE(contains(o.err, "there is no CUDA driver")) << o.err;
  const ScopedEnvironment described("MDH_CUDA_ARCH", "sm_90");
  EXPECT_EQ(mdh("bench gpu --workloads tiny_dot").exit, 3);
  EXPECT_EQ(mdh("bench gpu --list").exit, 0);
}

TEST(BenchGpu, mdh_is_verified_and_timed_with_warm_and_cold_caches) {
  const Ran result = ran("--workloads tiny_matmul --peers cublas");
  EXPECT_EQ(result.recording["device"], "Fake GPU");
  EXPECT_EQ(result.recording["driver"], "sm_90, CUDA 13.0");
  EXPECT_TRUE(contains(result.recording["command"], "mdh bench gpu -q --quick"));
  const json mdh = candidate(result, "mdh");
  EXPECT_EQ(mdh["standing"], "measured") << mdh;
  EXPECT_EQ(mdh["verified"], "full");
  EXPECT_EQ(mdh["exact_on_whole_numbers"], true);
  EXPECT_LT(mdh["max_deviation_from_f64"], 1e-3);
  EXPECT_EQ(mdh["config_hash"].get<std::string>().size(), 16u);
  for (const char* caches : {"warm", "cold"}) {
    EXPECT_EQ(mdh[caches]["round_us"].size(), 2u) << mdh;
    EXPECT_GE(mdh[caches]["median_us"], 1) << mdh;
  }
  // There may be a cuBLAS; the GPU is a fake.
  EXPECT_EQ(candidate(result, "cublas")["standing"], "absent");
  EXPECT_TRUE(contains(result.outcome.out, "\ncold caches\n")) << result.outcome.out;
}

TEST(BenchGpu, caches_are_chosen) {
  const json mdh = candidate(ran("--workloads tiny_dot --peers cudnn --caches cold"), "mdh");
  EXPECT_TRUE(mdh.contains("cold")) << mdh;
  EXPECT_FALSE(mdh.contains("warm")) << mdh;
}

TEST(BenchGpu, configurations_of_a_folder_that_are_refused_give_way_to_the_default) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "tiny_dot.json",
             "{\"mdh_config\": 1, \"machine\": \"gpu\", \"layers\": [\"BLK\"], \"split\": {\"k\": "
             "[\"BLK 7\"]}, \"order\": [\"BLK.k\"]}");
  const Ran result = ran("--workloads tiny_dot --peers cudnn --configs " + folder.path().string());
  const json mdh = candidate(result, "mdh");
  EXPECT_EQ(mdh["standing"], "measured");
  EXPECT_TRUE(contains(mdh["about"], "default (its own was refused: ")) << mdh;
}

/// Blocks count who has arrived in memory that is zero at first, which fresh memory is not.
TEST(BenchGpu, counters_of_blocks_begin_with_zero) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "tiny_dot.json",
             "{\"mdh_config\": 1, \"machine\": \"gpu\", \"layers\": [\"BLK\", \"THR\"], \"split\": "
             "{\"k\": [\"BLK 40\", \"THR 25\"]}, \"order\": [\"BLK.k\", \"THR.k\"], "
             "\"code\": {\"combine\": {\"BLK.k\": \"last_core\"}}}");
  const ScopedEnvironment dirty("MALLOC_PERTURB_", "165");
  const Ran result = ran("--workloads tiny_dot --peers cudnn --configs " + folder.path().string());
  const json mdh = candidate(result, "mdh");
  EXPECT_EQ(mdh["standing"], "measured") << mdh;
  EXPECT_TRUE(contains(mdh["about"], "tiny_dot.json")) << mdh;
}

/// The memory of the fake GPU is that of the host.
const std::string peer = R"(
#include "sizes.h"
static long way;
extern "C" {
const char* about() { return "mine 1.0"; }
long count_ways() { return 2; }
const char* choose_way(long n) { way = n; return n == 0 ? nullptr : "the second way"; }
int run(void** buffers, char*, void*) {
  const float *a = (const float*)buffers[1], *b = (const float*)buffers[2];
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * b[k];
  *(float*)buffers[0] = sum + (float)ERROR;
  return way == 1 ? 0 : 5;
}
})";

json with_peer(std::string text, const std::string& error) {
  const TemporaryDirectory folder;
  text.replace(text.find("ERROR"), 5, error);
  write_file(folder.path() / "mine.cpp", text);
  return candidate(ran("--workloads tiny_dot --peers cudnn --peer-file mine=" +
                       (folder.path() / "mine.cpp").string()),
                   "mine");
}

TEST(BenchGpu, peers_compute_on_the_device_by_a_way_that_works) {
  const json mine = with_peer(peer, "0");
  EXPECT_EQ(mine["standing"], "measured") << mine;
  EXPECT_EQ(mine["note"], "mine 1.0: the second way, best of 1");
  EXPECT_LT(mine["max_deviation_from_f64"], 1e-2);
}

TEST(BenchGpu, peers_may_round_on_whole_numbers_but_not_be_wrong) {
  const json near = with_peer(peer, "0.001");
  EXPECT_EQ(near["standing"], "measured") << near;
  EXPECT_EQ(near["exact_on_whole_numbers"], false);
  EXPECT_EQ(with_peer(peer, "1")["standing"], "wrong");
}

/// As much of PyTorch as a dot product and reductions need; a call takes 20 us.
const std::string fake_torch = R"(
import contextlib, math, struct, types
__version__ = "0.0-stub"
float32, int32, uint8 = "f", "i", "B"
calls = 0
class Tensor:
    def __init__(self, values, memory=None, offset=0):
        self.values, self.memory, self.offset = values, memory, offset
    def reshape(self, shape): return self
    def to(self, device): return Tensor(list(self.values))
    def fill_(self, value): return self
    def copy_(self, other):
        struct.pack_into(f"{len(other.values)}f", self.memory, self.offset, *other.values)
    def of_all(self, combine):
        global calls
        calls += 1
        return Tensor([combine(self.values)])
    def sum(self): return self.of_all(sum)
    def max(self): return self.of_all(max)
    def prod(self): return self.of_all(math.prod)
def frombuffer(memory, dtype, count, offset):
    return Tensor(struct.unpack_from(f"{count}{dtype}", memory, offset), memory, offset)
def empty(count, dtype, device): return Tensor([])
def dot(a, b):
    global calls
    calls += 1
    return Tensor([sum(x * y for x, y in zip(a.values, b.values))])
def compile(call, mode, dynamic): return call
class Event:
    def __init__(self, enable_timing, external): pass
    def record(self): self.at = calls
    def elapsed_time(self, end): return 0.02 * (end.at - self.at)
class CUDAGraph:
    def replay(self): pass
cuda = types.SimpleNamespace(
    is_available=lambda: True, Event=Event, CUDAGraph=CUDAGraph, synchronize=lambda: None,
    graph=lambda g: contextlib.nullcontext(),
    get_device_properties=lambda n: types.SimpleNamespace(L2_cache_size=1000))
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace()),
                                 cudnn=types.SimpleNamespace())
nn = types.SimpleNamespace(functional=types.SimpleNamespace(conv2d=None))
)";

/// As much of NumPy and of JAX as a dot product and reductions need.
const std::string fake_numpy = R"(
import math, struct
float32, int32 = "f", "i"
class Array:
    def __init__(self, values, memory=None, offset=0):
        self.values, self.memory, self.offset = values, memory, offset
    def reshape(self, shape): return self
    def copy(self): return Array(list(self.values))
    def sum(self): return Array([sum(self.values)])
    def max(self): return Array([max(self.values)])
    def prod(self): return Array([math.prod(self.values)])
def frombuffer(memory, dtype, count, offset):
    return Array(struct.unpack_from(f"{count}{dtype}", memory, offset), memory, offset)
def asarray(array): return array
def copyto(to, array):
    struct.pack_into(f"{len(array.values)}f", to.memory, to.offset, *array.values)
)";
const std::string fake_jax = R"(
import types
from numpy import Array
__version__ = "0.0-stub"
config = types.SimpleNamespace(update=lambda name, value: None)
def default_backend(): return "gpu"
def jit(call): return call
def device_put(array): return array
def block_until_ready(arrays): return arrays
lax = types.SimpleNamespace(optimization_barrier=lambda values: values)
numpy = types.SimpleNamespace(
    dot=lambda a, b: Array([sum(x * y for x, y in zip(a.values, b.values))]))
)";

class PythonPeers : public testing::Test {
 protected:
  void SetUp() override {
    if (runtime::find_program("python3").empty()) GTEST_SKIP() << "needs python3";
  }

  Ran with_torch(const std::string& text, const std::string& options,
                 const std::string& workload = "tiny_dot") {
    const TemporaryDirectory packages;
    write_file(packages.path() / "torch.py", text);
    const ScopedEnvironment path("PYTHONPATH", packages.path().string());
    return ran("--workloads " + workload + " " + options);
  }

  Ran with_jax(const std::string& workload) {
    const TemporaryDirectory packages;
    write_file(packages.path() / "numpy.py", fake_numpy);
    write_file(packages.path() / "jax.py", fake_jax);
    const ScopedEnvironment path("PYTHONPATH", packages.path().string());
    return ran("--workloads " + workload + " --peers jax");
  }
};

TEST_F(PythonPeers, pytorch_is_verified_and_timed_in_graphs) {
  const Ran result = with_torch(fake_torch, "--peers torch,inductor");
  const json torch = candidate(result, "torch"), inductor = candidate(result, "inductor");
  EXPECT_EQ(torch["standing"], "measured") << torch;
  EXPECT_EQ(torch["note"], "PyTorch 0.0-stub, eager");
  EXPECT_NEAR(torch["warm"]["median_us"], 20, 1e-6) << torch;
  EXPECT_NEAR(torch["cold"]["median_us"], 20, 1e-6) << torch;
  EXPECT_EQ(inductor["note"], "PyTorch 0.0-stub, Inductor, max-autotune");
  EXPECT_TRUE(contains(result.outcome.out, "torch")) << result.outcome.out;
  EXPECT_TRUE(contains(result.outcome.out, "geometric mean over the best peers: "));
}

TEST_F(PythonPeers, jax_is_timed_by_queues_of_calls) {
  const json jax = candidate(with_jax("tiny_dot"), "jax");
  EXPECT_EQ(jax["standing"], "measured") << jax;
  EXPECT_EQ(jax["note"], "JAX 0.0-stub, jit, precision highest");
  EXPECT_EQ(jax["warm"]["round_us"].size(), 2u) << jax;
  EXPECT_FALSE(jax.contains("cold")) << jax;
}

TEST_F(PythonPeers, several_results_go_to_a_buffer_each) {
  const std::string workload = "tiny_reduce2", options = "--peers torch --caches warm";
  const json torch = candidate(with_torch(fake_torch, options, workload), "torch");
  const json jax = candidate(with_jax(workload), "jax");
  for (const json& one : {torch, jax}) {
    EXPECT_EQ(one["standing"], "measured") << one;
    EXPECT_EQ(one["exact_on_whole_numbers"], true) << one;
  }
  const std::string broken = fake_torch + "Tensor.prod = lambda self: Tensor([0.0])\n";
  const json wrong = candidate(with_torch(broken, options, workload), "torch");
  EXPECT_EQ(wrong["standing"], "wrong") << wrong;
  EXPECT_TRUE(contains(wrong["note"], "output 'O2'")) << wrong;
}

TEST_F(PythonPeers, without_mdh_nothing_is_measured) {
  const runtime::cuda::HostGpu gpu;
  const runtime::Script nvcc("test \"$1\" = --version && echo that compiles nothing", "nvcc");
  const ScopedEnvironment compiler("MDH_NVCC", nvcc.path());
  const TemporaryDirectory packages;
  write_file(packages.path() / "torch.py", fake_torch);
  const ScopedEnvironment path("PYTHONPATH", packages.path().string());
  const Outcome o = mdh(quick + "--workloads tiny_dot --peers torch");
  EXPECT_EQ(o.exit, 1) << describe(o);
  EXPECT_TRUE(contains(o.err, "mdh itself was not measured")) << describe(o);
}

TEST_F(PythonPeers, what_goes_wrong_there_is_a_note) {
  const std::string broken =
      fake_torch + "def dot(a, b): raise RuntimeError('out of luck\\nand')\n";
  const json failed = candidate(with_torch(broken, "--peers torch"), "torch");
  EXPECT_EQ(failed["standing"], "failed") << failed;
  EXPECT_EQ(failed["note"], "RuntimeError: out of luck");
  const json wrong = candidate(
      with_torch(fake_torch + "def dot(a, b): return Tensor([1.0])\n", "--peers torch"), "torch");
  EXPECT_EQ(wrong["standing"], "wrong") << wrong;
}

TEST_F(PythonPeers, libraries_that_are_missing_are_absent) {
  const std::string none = "raise ImportError('No module named torch')\n";
  const json torch = candidate(with_torch(none, "--peers torch"), "torch");
  EXPECT_EQ(torch["standing"], "absent");
  EXPECT_EQ(torch["note"], "not installed: No module named torch");
  const ScopedEnvironment python("MDH_PYTHON", "/nonexistent/python3");
  const json jax = candidate(ran("--workloads tiny_dot --peers jax"), "jax");
  EXPECT_EQ(jax["note"], "not installed: there is no python3");
}

TEST(BenchGpu, opencl_is_a_second_row) {
  const Ran result = ran("--workloads tiny_dot --peers cudnn --target cuda,opencl:99");
  EXPECT_EQ(candidate(result, "mdh opencl")["standing"], "absent") << result.recording;
}

TEST(BenchGpu, choices_without_tuning_are_further_rows) {
  const Ran result = ran("--workloads tiny_dot --peers cudnn --caches warm --also default,model");
  EXPECT_EQ(candidate(result, "mdh")["standing"], "measured") << result.recording;
  for (const char* row : {"mdh default", "mdh model"}) {
    EXPECT_EQ(candidate(result, row)["standing"], "measured") << result.recording;
    EXPECT_EQ(candidate(result, row)["kind"], "other target");
  }
  EXPECT_TRUE(contains(candidate(result, "mdh model")["about"], "model (")) << result.recording;
  EXPECT_EQ(candidate(result, "mdh default")["about"], "default");
}

// ---- mistakes

struct Mistake {
  std::string options, code, text;
};

class BenchGpuMistake : public testing::TestWithParam<Mistake> {};

TEST_P(BenchGpuMistake, has_a_message_and_a_hint) {
  const runtime::cuda::HostGpu gpu;
  const Outcome o = mdh(GetParam().options);
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, "[" + GetParam().code + "]")) << o.err;
  EXPECT_TRUE(contains(o.err, GetParam().text)) << o.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, BenchGpuMistake,
    testing::Values(Mistake{"bench gpu --from " MDH_SOURCE_DIR "/README.md", "E850", "is not what"},
                    Mistake{"bench gpu --from a.json --quick", "E848", "--from measures nothing"},
                    Mistake{"bench gpu --from a.json --also model", "E848", "it has no --also"},
                    Mistake{"bench gpu --from a.json --caches warm", "E848", "it has no --caches"},
                    Mistake{"bench cpu --also model", "E848", "it is for 'mdh bench gpu'"},
                    Mistake{"bench gpu --also best", "E800", "best not in {default,model}"},
                    Mistake{"bench gpu --target openmp", "E851", "has no target 'openmp'"},
                    Mistake{"bench gpu --peers cubla", "E842", "did you mean 'cublas'?"},
                    Mistake{"bench gpu --workloads matmul_1023", "E841", "did you mean"},
                    Mistake{"bench gpu --peer-file mine", "E844", "NAME=F.cpp"},
                    Mistake{"bench gpu --threads 2", "E848", "it is for 'mdh bench cpu'"},
                    Mistake{"bench cpu --caches cold", "E848", "it is for 'mdh bench gpu'"}));

}  // namespace
}  // namespace mdh::test::bench_gpu_test
