// Kernels on a driver that needs no GPU: what is called, in which order, on which memory.
#include "mdh/runtime/cuda/kernel.h"

#include <atomic>
#include <thread>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/cuda/memory.h"
#include "mdh/runtime/cuda/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::cuda::kernel_test {
namespace {

using kernel::Launch;
using kernel::Module;
using kernel::Repeat;

using CudaKernels = FakeCuda;

const std::vector<long> counted = {0, 1, 2, 3, 4, 5, 6, 7};

/// out[n] = 2 * in[n] + 1, by way of the workspace.
Module doubling() {
  Module module = fake_module({.name = "g", .verb = "double", .parameters = 3},
                              {{Launch{"g", {2, 1, 1}, {4, 1, 1}}}});
  module.arguments.push_back({"in", "i64", 8, {8}, false});
  module.workspace_bytes = 64;
  return module;
}

// ---- calls

TEST_F(CudaKernels, call_uploads_launches_and_downloads) {
  EXPECT_EQ(called(*load_one(fake_index())), counted);
  EXPECT_EQ(journal(), "launch f grid 2,1,1 block 4,1,1 shared 0\n");
  EXPECT_EQ(ask<int>("fake_cuda_allocations"), 0) << "all is freed";
  EXPECT_EQ(ask<int>("fake_cuda_depth"), 0) << "no context is left current";
}

TEST_F(CudaKernels, elements_that_are_not_written_keep_what_the_caller_put_there) {
  const Module module =
      fake_module({.name = "f", .verb = "index"}, {{Launch{"f", {1, 1, 1}, {3, 1, 1}}}});
  EXPECT_EQ(called(*load_one(module)), (std::vector<long>{0, 1, 2, -1, -1, -1, -1, -1}));
}

TEST_F(CudaKernels, grid_and_block_have_three_axes) {
  const Module module = fake_module({.name = "f"}, {{Launch{"f", {2, 3, 4}, {5, 6, 7}}}});
  called(*load_one(module));
  EXPECT_EQ(journal(), "launch f grid 2,3,4 block 5,6,7 shared 0\n");
}

TEST_F(CudaKernels, functions_get_the_indices_of_the_loops_around_their_launch) {
  const Repeat inner{2, {{Launch{"f", {1, 1, 1}, {1, 1, 1}}}}};
  const Module module =
      fake_module({.name = "f", .verb = "index", .parameters = 4}, {{Repeat{3, {{inner}}}}});
  EXPECT_EQ(called(*load_one(module)).at(0), 100 * (2 + 1)) << "of the last launch";
  const std::string all = journal();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 6);
}

TEST_F(CudaKernels, wrong_number_of_buffers_is_a_bug) {
  const auto kernel = load_one(fake_index());
  EXPECT_EQ(diagnostic_of([&] { kernel->call({}, 1); }).message, "0 buffers for 1 arguments");
  EXPECT_EQ(diagnostic_of([&] { kernel->run({}); }).message, "0 buffers for 1 arguments");
}

TEST_F(CudaKernels, run_from_any_thread_and_with_any_context) {
  const auto kernel = load_one(doubling());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (long t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<long> in(8, t), out(8);
      void* const buffers[] = {out.data(), in.data()};
      for (int n = 0; n < 50; ++n) {
        std::fill(out.begin(), out.end(), -1);
        kernel->call(buffers, 1);
        if (out != std::vector<long>(8, 2 * t + 1)) ++wrong;
      }
      if (ask<int>("fake_cuda_depth") != 0) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaKernels, there_is_one_context_for_all_and_it_is_closed_at_the_end) {
  EXPECT_EQ(ask<int>("fake_cuda_retained"), 0);
  {
    const auto first = open(), second = open();
    const auto memory = first->allocate(8, "a"), more = second->allocate(8, "b");
    EXPECT_EQ(ask<int>("fake_cuda_retained"), 1);
  }
  EXPECT_EQ(ask<int>("fake_cuda_retained"), 0);
}

// ---- launches that wait by themselves

TEST_F(CudaKernels, launches_are_prepared_where_the_code_waits_by_itself) {
  Module module =
      fake_module({.name = "f", .verb = "index"}, {{Launch{"f", {2, 1, 1}, {4, 1, 1}}}});
  module.source += "variable mdh_waits_for_launch\n";
  EXPECT_EQ(called(*load_one(module)), counted);
  EXPECT_EQ(journal(), "waits f\nlaunch f grid 2,1,1 block 4,1,1 shared 0\n");
}

/// It was compiled without waiting then, whatever the variables are.
TEST_F(CudaKernels, no_launch_is_prepared_where_the_code_is_for_older_gpus) {
  const ScopedEnvironment older("MDH_CUDA_ARCH", "compute_80");
  Module module =
      fake_module({.name = "f", .verb = "index"}, {{Launch{"f", {2, 1, 1}, {4, 1, 1}}}});
  module.source += "variable mdh_waits_for_launch\n";
  called(*load_one(module));
  EXPECT_EQ(journal(), "launch f grid 2,1,1 block 4,1,1 shared 0\n");
}

// ---- shared memory

TEST_F(CudaKernels, shared_memory_of_a_launch_is_dynamic) {
  const Module module = fake_module({.name = "f"}, {{Launch{"f", {1, 1, 1}, {1, 1, 1}, 1024}}});
  called(*load_one(module));
  EXPECT_EQ(journal(), "launch f grid 1,1,1 block 1,1,1 shared 1024\n");
}

TEST_F(CudaKernels, more_than_48_kib_are_asked_for) {
  const Module module = fake_module({.name = "f"}, {{Launch{"f", {1, 1, 1}, {1, 1, 1}, 200000}}});
  called(*load_one(module));
  EXPECT_EQ(journal(),
            "set f dynamic shared bytes 200000\nlaunch f grid 1,1,1 block 1,1,1 shared 200000\n");
}

TEST_F(CudaKernels, the_largest_of_several_launches_is_asked_for) {
  const Module module = fake_module({.name = "f"}, {{Launch{"f", {1, 1, 1}, {1, 1, 1}, 90000}},
                                                    {Launch{"f", {1, 1, 1}, {1, 1, 1}, 60000}}});
  called(*load_one(module));
  EXPECT_NE(journal().find("set f dynamic shared bytes 90000\nlaunch"), std::string::npos);
}

TEST_F(CudaKernels, static_shared_memory_counts_towards_the_48_kib) {
  const Module module =
      fake_module({.name = "f", .shared = 8192}, {{Launch{"f", {1, 1, 1}, {1, 1, 1}, 45000}}});
  load_one(module);
  EXPECT_EQ(journal(), "set f dynamic shared bytes 45000\n");
}

TEST_F(CudaKernels, more_than_the_device_has_is_refused_before_anything_is_compiled) {
  const ScopedEnvironment no_compiler("MDH_NVCC", "off"), nor_nvrtc("MDH_NVRTC", "off");
  const Module module = fake_module({.name = "f"}, {{Launch{"f", {1, 1, 1}, {1, 1, 1}, 232449}}});
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).code, "E615");
  const Built built = open()->build({{module}}, {.cache = Cache()}).front().front();
  EXPECT_FALSE(built.object);
  EXPECT_NE(built.failure.text.find("232449 bytes of local memory"), std::string::npos);
}

TEST_F(CudaKernels, registers_are_checked_when_they_are_known) {
  const Module module = fake_module({.name = "f", .registers = 128, .threads = 512},
                                    {{Launch{"f", {1, 1, 1}, {1024, 1, 1}}}});
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  EXPECT_EQ(d.code, "E615");
  EXPECT_NE(d.message.find("128 registers"), std::string::npos) << d.message;
}

// ---- resources

TEST_F(CudaKernels, tell_what_their_functions_need) {
  const Module module =
      fake_module({.name = "f", .registers = 40, .shared = 100, .local = 24, .threads = 768},
                  {{Launch{"f", {1, 1, 1}, {32, 1, 1}, 1000}}});
  const std::vector<Resources> all = load_one(module)->resources();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].function, "f");
  EXPECT_EQ(all[0].registers, 40);
  EXPECT_EQ(all[0].stack_bytes, 24);
  EXPECT_EQ(all[0].spilled_bytes, 24);
  EXPECT_EQ(all[0].local_bytes, 1100);
  EXPECT_EQ(all[0].items_per_group, 768);
}

// ---- memory of the caller, streams, times

TEST_F(CudaKernels, run_on_memory_and_workspace_of_the_caller) {
  const auto device = open();
  const auto kernel = load_one(doubling());
  const auto out = device->allocate(64), in = device->allocate(64),
             workspace = device->allocate(64);
  in->upload(counted.data());
  void* const buffers[] = {out->handle(), in->handle()};
  kernel->run({.buffers = buffers, .workspace = workspace->handle()});
  std::vector<long> result(8), left(8);
  out->download(result.data());
  workspace->download(left.data());
  EXPECT_EQ(result, (std::vector<long>{1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(left, (std::vector<long>{0, 2, 4, 6, 8, 10, 12, 14}));
}

TEST_F(CudaKernels, memory_is_copied_when_an_upload_returns) {
  const auto memory = open()->allocate(64);
  std::vector<long> data = counted, back(8);
  memory->upload(data.data());
  data.assign(8, -5);
  memory->download(back.data());
  EXPECT_EQ(back, counted);
}

TEST_F(CudaKernels, workspace_of_their_own_holds_nothing_that_anybody_expects) {
  Module module = fake_module({.name = "f", .verb = "workspace"}, {{Launch{"f"}}});
  module.workspace_bytes = 64;
  EXPECT_EQ(called(*load_one(module)).at(0), static_cast<long>(0xDBDBDBDBDBDBDBDB));
}

TEST_F(CudaKernels, run_in_a_stream_is_not_over_on_return) {
  const auto device = open();
  const auto kernel = load_one(fake_index());
  const auto out = device->allocate(64);
  std::vector<long> before(8, -1), result(8);
  out->upload(before.data());
  void* const buffers[] = {out->handle()};
  const auto stream = ask<CuStream>("fake_cuda_stream");
  kernel->run({.buffers = buffers, .stream = stream});
  out->download(result.data());
  EXPECT_EQ(result, before) << "put there, not run";
  const auto context = Context::of(find_device("cuda"));
  const Current here(*context);
  context->check(context->api.stream_synchronize(stream), "cuStreamSynchronize");
  out->download(result.data());
  EXPECT_EQ(result, counted);
  context->api.stream_destroy(stream);
}

TEST_F(CudaKernels, run_in_a_stream_needs_a_workspace_of_its_own) {
  const auto device = open();
  const auto kernel = load_one(doubling());
  const auto out = device->allocate(64), in = device->allocate(64);
  void* const buffers[] = {out->handle(), in->handle()};
  const auto stream = ask<CuStream>("fake_cuda_stream");
  EXPECT_EQ(diagnostic_of([&] { kernel->run({.buffers = buffers, .stream = stream}); }).message,
            "a run in a stream needs a workspace of its own");
  Context::of(find_device("cuda"))->api.stream_destroy(stream);
}

/// Launches take one microsecond per group by the clock of the fake device.
Module launched(int64_t rounds, int64_t groups) {
  return fake_module({.name = "f", .parameters = 3},
                     {{Repeat{rounds, {{Launch{"f", {groups, 1, 1}, {4, 1, 1}}}}}}});
}

int count_of(const std::string& text, const std::string& piece) {
  int count = 0;
  for (size_t at = 0; (at = text.find(piece, at)) != std::string::npos; ++at) ++count;
  return count;
}

/// Of a kernel on eight elements.
Timing time_of(const LoadedKernel& kernel, Caches caches = Caches::warm) {
  std::vector<long> out(8);
  void* const buffers[] = {out.data()};
  return kernel.time(
      buffers, 1,
      {.warm_up = 2, .least = 3, .most = 3, .seconds = 10, .accuracy = 0, .caches = caches});
}

TEST_F(CudaKernels, long_calls_are_timed_one_by_one) {
  const Timing timing = time_of(*load_one(launched(3, 70)));
  EXPECT_EQ(timing.count, 3);
  EXPECT_NEAR(timing.median_us, 210, 0.1);
  EXPECT_GT(timing.host_us, 0);
  const std::string all = journal();
  EXPECT_EQ(count_of(all, "launch f "), 3 * 5) << "warm-up included";
  EXPECT_EQ(count_of(all, "graph"), 0);
}

TEST_F(CudaKernels, short_calls_are_timed_many_at_a_time) {
  const Timing timing = time_of(*load_one(launched(3, 5)));
  EXPECT_EQ(timing.count, 3);
  EXPECT_NEAR(timing.median_us, 15, 0.01);
  EXPECT_GT(timing.host_us, 0);
  const std::string all = journal();
  // 300 us are 20 calls. They are captured once, after one call alone.
  EXPECT_EQ(count_of(all, "launch f "), 3 * 21);
  EXPECT_EQ(count_of(all, "captured 62 commands"), 1) << "with the two events";
  EXPECT_EQ(count_of(all, "launch of a graph"), 5 + 1) << "warm-up included, and the first";
}

TEST_F(CudaKernels, drivers_that_refuse_graphs_time_one_by_one) {
  for (const char* function :
       {"cuStreamBeginCapture_v2=801", "cuGraphInstantiateWithFlags=801", "cuGraphLaunch=801"}) {
    const ScopedEnvironment fails("FAKE_CUDA_FAIL", function);
    EXPECT_NEAR(time_of(*load_one(launched(3, 5))).median_us, 15, 0.01);
    EXPECT_EQ(count_of(journal(), "launch of a graph"), 0);
  }
}

TEST_F(CudaKernels, with_cold_caches_something_large_is_written_before_each_call) {
  EXPECT_NEAR(time_of(*load_one(launched(1, 5)), Caches::cold).median_us, 5, 0.01);
  const std::string all = journal();
  EXPECT_EQ(count_of(all, "graph"), 0);
  EXPECT_EQ(count_of(all, fmt::format("memset of {} bytes", 2 * 62914560)), 5);
  EXPECT_EQ(count_of(all, "launch f "), 5);
}

TEST_F(CudaKernels, misaligned_memory_is_refused_before_anything_runs) {
  Module module = fake_index();
  module.arguments[0].alignment = 16;
  const auto device = open();
  const auto kernel = load_one(module);
  const auto out = device->allocate(128);
  char* const start = static_cast<char*>(out->handle());
  journal();
  void *const bad[] = {start + 8}, *const good[] = {start + 16};
  const Diagnostic d = diagnostic_of([&] { kernel->run({.buffers = bad}); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E640");
  EXPECT_NE(d.message.find("'out'"), std::string::npos) << d.message;
  EXPECT_EQ(journal(), "");
  kernel->run({.buffers = good});
  EXPECT_NE(journal(), "");
  EXPECT_EQ(diagnostic_of([&] { kernel->run({.buffers = good, .workspace = start + 4}); }).code,
            "E640");
}

// ---- failures

TEST_F(CudaKernels, memory_that_there_is_not_is_missing) {
  const Diagnostic too_large = diagnostic_of([] { open()->allocate(int64_t{1} << 60, "a whale"); });
  EXPECT_EQ(too_large.code, "E616");
  EXPECT_EQ(too_large.message, "a whale has 1152921504606846976 bytes; Fake GPU has 8589934592");
  const ScopedEnvironment full("FAKE_CUDA_FAIL", "cuMemAlloc_v2=2");
  const Diagnostic d = diagnostic_of([] { open()->allocate(64, "a buffer"); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E616");
  EXPECT_EQ(ask<int>("fake_cuda_depth"), 0) << "also after a failure";
}

TEST_F(CudaKernels, kernel_that_goes_wrong_loses_the_device) {
  const auto device = open();
  const Module wrong = fake_module({.name = "f", .verb = "fault"}, {{Launch{"f"}}});
  const Module right = fake_index();
  const auto good = device->load({&right, 1}).front(), bad = device->load({&wrong, 1}).front();
  EXPECT_FALSE(device->is_lost());
  const Diagnostic d = diagnostic_of([&] { called(*bad); });
  EXPECT_EQ(d.code, "E646");
  EXPECT_EQ(d.message,
            "a kernel broke its CUDA context: it used an address outside of its memory "
            "(CUDA_ERROR_ILLEGAL_ADDRESS in cuStreamSynchronize)");
  EXPECT_TRUE(device->is_lost());
  EXPECT_EQ(diagnostic_of([&] { called(*good); }).code, "E646") << "nothing runs there any more";
  EXPECT_EQ(ask<int>("fake_cuda_depth"), 0);
}

TEST_F(CudaKernels, launch_that_lacks_resources_does_not_lose_the_device) {
  const auto device = open();
  const Module module = fake_index();
  const auto kernel = device->load({&module, 1}).front();
  {
    const ScopedEnvironment scarce("FAKE_CUDA_FAIL", "cuLaunchKernel=701");
    EXPECT_EQ(diagnostic_of([&] { called(*kernel); }).code, "E616");
  }
  EXPECT_FALSE(device->is_lost());
  EXPECT_EQ(called(*kernel), counted);
}

TEST_F(CudaKernels, function_that_is_not_in_the_module_is_a_bug) {
  const Module module = fake_module({.name = "f"}, {{Launch{"g"}}});
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).message, "the compiled module lacks 'g'");
}

TEST_F(CudaKernels, function_that_takes_other_arguments_is_a_bug) {
  const Module few = fake_module({.name = "f", .parameters = 1}, {{Launch{"f"}}});
  EXPECT_EQ(diagnostic_of([&] { load_one(few); }).message, "'f' takes 1 arguments and gets 2");
  const Module narrow = fake_module({.name = "f", .width = 4}, {{Launch{"f"}}});
  EXPECT_EQ(diagnostic_of([&] { load_one(narrow); }).message,
            "argument 0 of 'f' has 4 bytes at 0, and is given 8 at 0");
}

/// Tools that watch the driver would report it.
TEST_F(CudaKernels, driver_is_asked_nothing_that_it_cannot_answer) {
  load_one(fake_index());
  const std::string all = journal();
  EXPECT_EQ(all.find("cuFuncGetParamInfo"), std::string::npos) << all;
  load_one(fake_module({.name = "f", .parameters = 4}, {{Repeat{2, {{Launch{"f"}}}}}}));
  EXPECT_EQ(journal().find("cuFuncGetParamInfo"), std::string::npos);
}

TEST_F(CudaKernels, ptx_that_the_driver_refuses_is_refused_with_its_words) {
  Module module = fake_index();
  module.source = "ptx";
  try {
    load_one(module);
    FAIL() << "it was loaded";
  } catch (const kernel::Refused& e) {
    EXPECT_EQ(e.diagnostic().message,
              "the CUDA driver refused a compiled kernel (CUDA_ERROR_INVALID_PTX):\n"
              "ptxas fatal   : unresolved extern function");
  }
}

TEST_F(CudaKernels, code_for_another_gpu_is_missing_with_advice) {
  Module module = fake_index();
  module.source = "something else";
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E647");
  EXPECT_NE(d.hint.find("MDH_CUDA_ARCH"), std::string::npos) << d.hint;
}

TEST_F(CudaKernels, source_in_another_language_is_a_bug) {
  Module module = fake_index();
  module.language = "opencl";
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).message,
            "'fake_f' is printed in opencl, not in cuda");
}

}  // namespace
}  // namespace mdh::runtime::cuda::kernel_test
