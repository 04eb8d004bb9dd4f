// Kernels on a real GPU, compiled by what this machine has; skipped where there is none. What holds
// for every device is in runtime/device_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "mdh/runtime/cuda/context.h"
#include "mdh/runtime/cuda/runtime.h"
#include "mdh/runtime/testing.h"
#include "mdh/runtime/worker/worker.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::cuda::gpu_test {
namespace {

using kernel::Launch;
using kernel::Module;
using kernel::Repeat;

class CudaGpu : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = cuda::runtime().open("");
      device_->allocate(8, "a buffer");
    } catch (const Error& e) {
      if (e.diagnostic().kind != DiagnosticKind::missing) throw;
      GTEST_SKIP() << "SKIP: " << e.diagnostic().message;
    }
  }

  std::shared_ptr<const LoadedKernel> load_one(const Module& module) const {
    return device_->load({&module, 1}).front();
  }

  std::vector<long> result_of(const Module& module) const {
    std::vector<long> out(static_cast<size_t>(module.arguments.at(0).elements()), -1);
    void* const buffers[] = {out.data()};
    load_one(module)->call(buffers, 1);
    return out;
  }

  std::shared_ptr<const runtime::Device> device_;
};

/// A kernel on one output of long integers; `parameters` are those behind the workspace.
Module on_longs(int64_t count, const std::string& parameters, const std::string& body,
                std::vector<kernel::Step> steps) {
  Module module{.language = "cuda", .name = "test"};
  module.source = "extern \"C\" __global__ void f(long *out, char *workspace" + parameters +
                  ") {\n" + body + "\n}\n";
  module.arguments = {{"out", "i64", 8, {count}, true}};
  module.steps = std::move(steps);
  return module;
}

TEST_F(CudaGpu, grid_has_groups_and_items_on_three_axes) {
  const Module module = on_longs(
      24 * 210, "",
      "  long n = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;\n"
      "  n = n * 210 + (threadIdx.z * 6 + threadIdx.y) * 5 + threadIdx.x;\n"
      "  out[n] = (blockIdx.x * 5 + threadIdx.x) + 100 * (blockIdx.y * 6 + threadIdx.y) +\n"
      "           10000 * (blockIdx.z * 7 + threadIdx.z);",
      {{Launch{"f", {2, 3, 4}, {5, 6, 7}}}});
  const std::vector<long> out = result_of(module);
  size_t n = 0;
  for (long g = 0; g < 24; ++g) {
    for (long i = 0; i < 210; ++i, ++n) {
      const long x = g % 2 * 5 + i % 5, y = g / 2 % 3 * 6 + i / 5 % 6, z = g / 6 * 7 + i / 30;
      ASSERT_EQ(out[n], x + 100 * y + 10000 * z) << n;
    }
  }
}

TEST_F(CudaGpu, functions_get_the_indices_of_the_loops_around_their_launch) {
  const Module module = on_longs(1, ", long a, long b", "  out[0] = out[0] * 10 + 3 * a + b;",
                                 {{Repeat{2, {{Repeat{3, {{Launch{"f"}}}}}}}}});
  EXPECT_EQ(result_of(module), std::vector<long>{-1'000'000 + 12345});
}

TEST_F(CudaGpu, thousands_of_launches_are_fine) {
  const Module module = on_longs(1, ", long a, long b", "  out[0] += a * 100 + b;",
                                 {{Repeat{50, {{Repeat{100, {{Launch{"f"}}}}}}}}});
  EXPECT_EQ(result_of(module), std::vector<long>{4999 * 5000 / 2 - 1});
}

/// All of the shared memory that a block can have, written and read by another thread.
TEST_F(CudaGpu, shared_memory_beyond_48_kib) {
  const int64_t bytes = device_->grid()->local_bytes, count = bytes / 8;
  ASSERT_GT(bytes, 49152);
  Module module =
      on_longs(count, "",
               fmt::format("  extern __shared__ long tile[];\n"
                           "  for (int n = threadIdx.x; n < {0}; n += 256) tile[n] = 3 * n;\n"
                           "  __syncthreads();\n"
                           "  for (int n = threadIdx.x; n < {0}; n += 256)\n"
                           "    out[n] = tile[{0} - 1 - n];",
                           count),
               {{Launch{"f", {1, 1, 1}, {256, 1, 1}, bytes}}});
  const std::vector<long> out = result_of(module);
  for (int64_t n = 0; n < count; ++n) {
    ASSERT_EQ(out[static_cast<size_t>(n)], 3 * (count - 1 - n)) << n;
  }
  EXPECT_EQ(load_one(module)->resources().at(0).local_bytes, bytes);
  std::get<Launch>(module.steps[0].is).local_bytes = bytes + 1;
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).code, "E615");
}

TEST_F(CudaGpu, function_that_takes_other_arguments_is_a_bug_where_the_driver_tells) {
  if (driver().func_get_param_info == nullptr) GTEST_SKIP() << "SKIP: the driver does not tell";
  Module module =
      on_longs(1, ", long a", "  out[0] = a;", {{Repeat{1, {{Repeat{1, {{Launch{"f"}}}}}}}}});
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).message, "'f' takes 3 arguments and gets 4");
  module = on_longs(1, ", int a", "  out[0] = a;", {{Repeat{1, {{Launch{"f"}}}}}});
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).message,
            "argument 2 of 'f' has 4 bytes at 16, and is given 8 at 16");
}

TEST_F(CudaGpu, registers_are_known_and_too_many_are_refused) {
  Module module = on_longs(1024, "", "  out[threadIdx.x] = threadIdx.x;",
                           {{Launch{"f", {1, 1, 1}, {1024, 1, 1}}}});
  const Resources small = load_one(module)->resources().at(0);
  EXPECT_GT(small.registers.value(), 0);
  EXPECT_EQ(small.stack_bytes, 0);
  EXPECT_EQ(small.items_per_group, 1024);
  module.source =
      "extern \"C\" __global__ void __launch_bounds__(128) f(long *out, char *workspace) {\n"
      "  out[threadIdx.x] = threadIdx.x;\n}\n";
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  EXPECT_EQ(d.code, "E615");
  EXPECT_NE(d.message.find("with at most 128"), std::string::npos) << d.message;
}

// ---- arithmetic

/// y = f(x), on one thread per element.
std::vector<float> mapped(const runtime::Device& device, const std::string& expression,
                          std::vector<float> x, bool contract = true) {
  Module module{.language = "cuda", .name = "map", .contract_allowed = contract};
  module.source =
      "extern \"C\" __global__ void f(float *y, const float *x, char *workspace) {\n"
      "  const int n = threadIdx.x;\n  y[n] = " +
      expression + ";\n}\n";
  const auto count = static_cast<int64_t>(x.size());
  module.arguments = {{"y", "f32", 4, {count}, true}, {"x", "f32", 4, {count}, false}};
  module.steps = {{Launch{"f", {1, 1, 1}, {count, 1, 1}}}};
  std::vector<float> y(x.size(), -1);
  void* const buffers[] = {y.data(), x.data()};
  device.load({&module, 1}).front()->call(buffers, 1);
  return y;
}

TEST_F(CudaGpu, division_and_square_roots_are_exact) {
  std::vector<float> x(256);
  for (size_t n = 0; n < x.size(); ++n) x[n] = 1.0F + 0.37F * static_cast<float>(n);
  const std::vector<float> quotients = mapped(*device_, "x[n] / 3.7f", x),
                           roots = mapped(*device_, "sqrtf(x[n])", x);
  for (size_t n = 0; n < x.size(); ++n) {
    EXPECT_EQ(quotients[n], x[n] / 3.7F) << n;
    EXPECT_EQ(roots[n], std::sqrt(x[n])) << n;
  }
}

TEST_F(CudaGpu, subnormals_are_kept) {
  const std::vector<float> y = mapped(*device_, "x[n] * 0.5f", {0x1p-126F, 0x1p-149F, 0x1p-140F});
  EXPECT_EQ(y, (std::vector<float>{0x1p-127F, 0, 0x1p-141F}));
}

/// (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 if it is computed at once, and 0 if the product is rounded.
TEST_F(CudaGpu, contracts_only_if_it_may) {
  const std::vector<float> x = {1 + 0x1p-12F, 1 + 0x1p-11F};
  EXPECT_EQ(mapped(*device_, "x[0] * x[0] - x[1]", x, true).at(0), 0x1p-24F);
  EXPECT_EQ(mapped(*device_, "x[0] * x[0] - x[1]", x, false).at(0), 0);
}

// ---- PTX, streams, threads, times

TEST_F(CudaGpu, ptx_is_compiled_by_the_driver) {
  const ScopedEnvironment arch("MDH_CUDA_ARCH", "compute_75");
  const Module module = on_longs(8, "", "  out[threadIdx.x] = 5 * threadIdx.x;",
                                 {{Launch{"f", {1, 1, 1}, {8, 1, 1}}}});
  const auto kernel = cuda::runtime().open("")->load({&module, 1}).front();
  std::vector<long> out(8);
  void* const buffers[] = {out.data()};
  kernel->call(buffers, 1);
  EXPECT_EQ(out.at(7), 35);
}

TEST_F(CudaGpu, code_for_another_gpu_is_missing_with_advice) {
  const int own = Context::of(find_device("cuda"))->device.arch.number;
  const ScopedEnvironment arch("MDH_CUDA_ARCH", own == 80 ? "sm_90" : "sm_80");
  const Module module = on_longs(1, "", "  out[0] = 1;", {{Launch{"f"}}});
  const Diagnostic d = diagnostic_of([&] { cuda::runtime().open("")->load({&module, 1}); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing) << d.message;
  EXPECT_EQ(d.code, "E647") << d.message;
}

TEST_F(CudaGpu, runs_in_a_stream_of_the_caller) {
  const auto context = Context::of(find_device("cuda"));
  const Module module = on_longs(8, "", "  out[threadIdx.x] = 7 + threadIdx.x;",
                                 {{Launch{"f", {1, 1, 1}, {8, 1, 1}}}});
  const auto kernel = load_one(module);
  const auto out = device_->allocate(64);
  void* const buffers[] = {out->handle()};
  CuStream stream = nullptr;
  {
    const Current here(*context);
    context->check(context->api.stream_create(&stream, stream_non_blocking), "cuStreamCreate");
  }
  kernel->run({.buffers = buffers, .stream = stream});
  const Current here(*context);
  context->check(context->api.stream_synchronize(stream), "cuStreamSynchronize");
  std::vector<long> result(8);
  out->download(result.data());
  EXPECT_EQ(result.at(7), 14);
  context->api.stream_destroy(stream);
}

TEST_F(CudaGpu, threads_that_call_one_kernel_do_not_disturb_each_other) {
  Module module =
      on_longs(64, "", "  ((long *)workspace)[threadIdx.x] = 2 * out[threadIdx.x];",
               {{Launch{"f", {1, 1, 1}, {64, 1, 1}}}, {Launch{"g", {1, 1, 1}, {64, 1, 1}}}});
  module.source +=
      "extern \"C\" __global__ void g(long *out, char *workspace) {\n"
      "  out[threadIdx.x] = ((long *)workspace)[63 - threadIdx.x] + 1;\n}\n";
  module.workspace_bytes = 64 * 8;
  const auto kernel = load_one(module);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (long t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < 100; ++n) {
        std::vector<long> out(64, t);
        void* const buffers[] = {out.data()};
        kernel->call(buffers, 1);
        if (out != std::vector<long>(64, 2 * t + 1)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0) << "of 400";
}

/// The clock of the device does not count what the host does between two runs.
TEST_F(CudaGpu, times_are_those_of_the_device) {
  const Module module = on_longs(1, "",
                                 "  const long long start = clock64();\n  while (clock64() - start "
                                 "< 200000) {}\n  out[0] = 1;",
                                 {{Launch{"f"}}});
  const auto kernel = load_one(module);
  std::vector<long> out(1);
  void* const buffers[] = {out.data()};
  const Timing timing =
      kernel->time(buffers, 1, {.warm_up = 3, .least = 20, .most = 20, .seconds = 10});
  EXPECT_EQ(timing.count, 20);
  // 200,000 cycles at any clock between 0.5 and 4 GHz.
  EXPECT_GT(timing.median_us, 50);
  EXPECT_LT(timing.median_us, 450);
}

/// 2,000 cycles are 1 to 2 us, and a launch that the host has to make takes longer.
TEST_F(CudaGpu, short_calls_are_timed_without_the_way_from_the_host) {
  const Module module = on_longs(1, "",
                                 "  const long long start = clock64();\n  while (clock64() - start "
                                 "< 2000) {}\n  out[0] = 1;",
                                 {{Launch{"f"}}, {Launch{"f"}}});
  const auto kernel = load_one(module);
  std::vector<long> out(1);
  void* const buffers[] = {out.data()};
  const Timing timing = kernel->time(buffers, 1, {.warm_up = 3, .least = 20, .most = 20});
  EXPECT_GT(timing.median_us, 1);
  EXPECT_LT(timing.median_us, 12);
  EXPECT_GT(timing.host_us, timing.median_us);
}

/// What fits the second cache is read from memory if something else was written before.
TEST_F(CudaGpu, cold_caches_take_longer) {
  constexpr int64_t elements = 1 << 20;
  const Module module = on_longs(elements, "",
                                 "  const long n = (long)blockIdx.x * 1024 + threadIdx.x;\n"
                                 "  out[n] = out[n] + 1;",
                                 {{Launch{"f", {elements / 1024, 1, 1}, {1024, 1, 1}}}});
  const auto kernel = load_one(module);
  std::vector<long> out(elements);
  void* const buffers[] = {out.data()};
  const auto time = [&](Caches caches) {
    return kernel->time(buffers, 1, {.least = 20, .most = 50, .caches = caches}).median_us;
  };
  EXPECT_GT(time(Caches::cold), 1.2 * time(Caches::warm));
}

// ---- kernels that go wrong, in a worker

Outcome in_worker(Worker& worker, const runtime::Device& device, const Module& module,
                  const SharedBuffers& buffers) {
  const Built built = device.build({{module}}, {}).front().front();
  if (!built.object) return {WorkStatus::error, built.failure.text, {}};
  return worker.run(module, built.object->path, buffers, {.device = device.name()});
}

TEST_F(CudaGpu, kernels_that_go_wrong_cost_a_worker_and_nothing_else) {
  Worker worker({.program = MDH_WORKER_FILE});
  const SharedBuffers buffers({8});
  const auto* out = static_cast<long*>(buffers.pointers()[0]);
  const Module good = on_longs(1, "", "  out[0] = 42;", {{Launch{"f"}}});
  for (const auto& [body, name] :
       {std::pair{"  *(volatile long *)8 = 1;", "CUDA_ERROR_ILLEGAL_ADDRESS"},
        std::pair{"  *(volatile long *)((char *)out + 1) = 1;", "CUDA_ERROR_MISALIGNED_ADDRESS"},
        std::pair{"  __trap();", "CUDA_ERROR_"}}) {
    const Outcome outcome =
        in_worker(worker, *device_, on_longs(1, "", body, {{Launch{"f"}}}), buffers);
    EXPECT_EQ(outcome.status, WorkStatus::crash) << outcome.reason;
    EXPECT_NE(outcome.reason.find(name), std::string::npos) << outcome.reason;
    EXPECT_EQ(worker.process(), 0);
    EXPECT_EQ(in_worker(worker, *device_, good, buffers).status, WorkStatus::ok);
    EXPECT_EQ(out[0], 42);
  }
  EXPECT_FALSE(device_->is_lost()) << "nor does it reach this process";
}

}  // namespace
}  // namespace mdh::runtime::cuda::gpu_test
