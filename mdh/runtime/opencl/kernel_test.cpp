#include "mdh/runtime/opencl/kernel.h"

#include <atomic>
#include <numeric>
#include <thread>

#include "mdh/runtime/opencl/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::opencl::kernel_test {
namespace {

using kernel::Launch;
using kernel::Module;
using kernel::Repeat;

using Kernels = OpenCl;

/// A kernel on one output of long integers.
Module on_longs(int64_t count, const std::string& parameters_and_body,
                std::vector<kernel::Step> steps) {
  return module_of(
      {output("out", "i64", 8, {count})},
      "__kernel void f(__global long *out, __global char *workspace" + parameters_and_body,
      std::move(steps));
}

std::vector<long> result_of(const Kernel& kernel) {
  std::vector<long> out(static_cast<size_t>(kernel.module().arguments.at(0).elements()), -1);
  call(kernel, out);
  return out;
}

Module vector_add() {
  return module_of(
      {output("z", "f32", 4, {64}), input("x", "f32", 4, {64}), input("y", "f32", 4, {64})},
      "__kernel void add(__global float *z, __global const float *x, __global const float *y,\n"
      "                  __global char *workspace) {\n"
      "  const size_t i = get_global_id(0);\n"
      "  z[i] = x[i] + 10 * y[i];\n"
      "}",
      {{Launch{"add", {4, 1, 1}, {16, 1, 1}}}});
}

// ---- buffers

TEST_F(Kernels, outputs_come_first_then_inputs) {
  std::vector<float> z(64, -1), x(64), y(64);
  std::iota(x.begin(), x.end(), 0.0F);
  std::iota(y.begin(), y.end(), 1.0F);
  call(load_one(vector_add()), z, x, y);
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(z[i], x[i] + 10 * y[i]) << i;
}

TEST_F(Kernels, inputs_stay_as_they_are) {
  const Module module =
      module_of({output("y", "i32", 4, {1}), input("x", "i32", 4, {1})},
                "__kernel void f(__global int *y, __global int *x, __global char *workspace) {\n"
                "  y[0] = x[0]; x[0] = 7; }",
                {{Launch{"f"}}});
  std::vector<int> y{0}, x{3};
  call(load_one(module), y, x);
  EXPECT_EQ(y, std::vector<int>{3});
  EXPECT_EQ(x, std::vector<int>{3});
}

TEST_F(Kernels, elements_that_are_not_written_keep_what_the_caller_put_there) {
  const Module module = on_longs(4, ") { out[2] = 5; }", {{Launch{"f"}}});
  EXPECT_EQ(result_of(load_one(module)), (std::vector<long>{-1, -1, 5, -1}));
}

TEST_F(Kernels, doubles_are_doubles) {
  if (!device().has_fp64) GTEST_SKIP() << "SKIP: the device has no doubles";
  const Module module = module_of(
      {output("y", "f64", 8, {2}), input("x", "f64", 8, {2})},
      "__kernel void f(__global double *y, __global const double *x, __global char *workspace) {\n"
      "  const size_t i = get_global_id(0);\n"
      "  y[i] = x[i] / 3.0;\n"
      "}",
      {{Launch{"f", {2, 1, 1}, {1, 1, 1}}}});
  std::vector<double> y(2, 0), x{1, 1e300};
  call(load_one(module), y, x);
  EXPECT_EQ(y, (std::vector<double>{1 / 3.0, 1e300 / 3.0}));
}

TEST_F(Kernels, empty_buffers_are_allowed) {
  const Module module =
      module_of({output("y", "i32", 4, {1}), input("x", "i32", 4, {0, 5})},
                "__kernel void f(__global int *y, __global int *x, __global char *workspace) {\n"
                "  y[0] = 4; }",
                {{Launch{"f"}}});
  std::vector<int> y{0}, x;
  call(load_one(module), y, x);
  EXPECT_EQ(y, std::vector<int>{4});
}

TEST_F(Kernels, wrong_number_of_buffers_is_a_bug) {
  const Kernel kernel = load_one(vector_add());
  const Diagnostic d = diagnostic_of([&] { kernel({}); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_EQ(d.message, "0 buffers for 3 arguments");
}

// ---- grids

TEST_F(Kernels, grid_has_groups_and_items_on_three_axes) {
  constexpr long items = 210;
  const Module module =
      on_longs(24 * items,
               ") {\n"
               "  long n = 0;\n"
               "  for (int d = 2; d >= 0; --d) n = n * get_num_groups(d) + get_group_id(d);\n"
               "  for (int d = 2; d >= 0; --d) n = n * get_local_size(d) + get_local_id(d);\n"
               "  out[n] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);\n"
               "}",
               {{Launch{"f", {2, 3, 4}, {5, 6, 7}}}});
  const std::vector<long> out = result_of(load_one(module));
  size_t n = 0;
  for (long g2 = 0; g2 < 4; ++g2) {
    for (long g1 = 0; g1 < 3; ++g1) {
      for (long g0 = 0; g0 < 2; ++g0) {
        for (long i = 0; i < items; ++i, ++n) {
          const long x = g0 * 5 + i % 5, y = g1 * 6 + i / 5 % 6, z = g2 * 7 + i / 30;
          ASSERT_EQ(out[n], x + 100 * y + 10000 * z) << n;
        }
      }
    }
  }
}

TEST_F(Kernels, grid_on_two_axes) {
  const Module module =
      on_longs(12, ") { out[get_global_id(1) * 4 + get_global_id(0)] = get_global_size(1); }",
               {{Launch{"f", {2, 3, 1}, {2, 1, 1}}}});
  EXPECT_EQ(result_of(load_one(module)), std::vector<long>(12, 3));
}

TEST_F(Kernels, items_of_a_group_share_local_memory_and_wait_at_barriers) {
  constexpr long items = 32, count = 4 * items;
  const Module module = on_longs(count,
                                 ") {\n"
                                 "  __local long tile[32];\n"
                                 "  const size_t i = get_local_id(0);\n"
                                 "  tile[i] = get_global_id(0);\n"
                                 "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "  long sum = 0;\n"
                                 "  for (int k = 0; k < 32; ++k) sum += tile[k];\n"
                                 "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "  tile[31 - i] = sum + i;\n"
                                 "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "  out[get_global_id(0)] = tile[i];\n"
                                 "}",
                                 {{Launch{"f", {4, 1, 1}, {32, 1, 1}}}});
  const std::vector<long> out = result_of(load_one(module));
  for (long n = 0; n < count; ++n) {
    const long group = n / items, sum = items * (items * group) + items * 31 / 2;
    EXPECT_EQ(out[static_cast<size_t>(n)], sum + 31 - n % items) << n;
  }
}

// ---- steps

TEST_F(Kernels, launches_are_made_in_order) {
  Module module = on_longs(1, ") { out[0] = 1; }", {{Launch{"f"}}, {Launch{"g"}}, {Launch{"g"}}});
  module.source +=
      "\n__kernel void g(__global long *out, __global char *workspace) { out[0] = out[0] * 10 + 2; "
      "}";
  EXPECT_EQ(result_of(load_one(module)), std::vector<long>{122});
}

TEST_F(Kernels, functions_get_the_indices_of_the_loops_around_their_launch) {
  Module module = on_longs(1, ", long a, long b) { out[0] = out[0] * 10 + 3 * a + b; }", {});
  module.source +=
      "\n__kernel void once(__global long *out, __global char *workspace) { out[0] = 9; }"
      "\n__kernel void outer(__global long *out, __global char *workspace, long a)"
      " { out[0] = out[0] * 10 + a + 7; }";
  const Repeat inner{3, {{Launch{"f"}}}};
  module.steps = {{Launch{"once"}}, {Repeat{2, {{Launch{"outer"}}, {inner}}}}};
  EXPECT_EQ(result_of(load_one(module)), std::vector<long>{970128345});
}

TEST_F(Kernels, thousands_of_launches_are_fine) {
  const Module module = on_longs(1, ", long a, long b) { out[0] += a * 100 + b; }",
                                 {{Repeat{50, {{Repeat{100, {{Launch{"f"}}}}}}}}});
  const Kernel kernel = load_one(module);
  const Memory memory(context(), module.arguments);
  std::vector<long> out{0};
  void* const pointers[] = {out.data()};
  memory.upload(pointers);
  const RunTime time = kernel.run(memory);
  memory.download(pointers);
  EXPECT_EQ(out[0], 4999 * 5000 / 2);
  EXPECT_EQ(time.launches, 5000);
}

TEST_F(Kernels, loop_of_no_steps_launches_nothing) {
  const Module module = on_longs(1, ", long a) { out[0] = a; }", {{Repeat{0, {{Launch{"f"}}}}}});
  EXPECT_EQ(result_of(load_one(module)), std::vector<long>{-1});
}

// ---- workspace

TEST_F(Kernels, workspace_carries_results_from_launch_to_launch) {
  Module module = on_longs(1,
                           ") {\n"
                           "  __global long *partial = (__global long *)workspace;\n"
                           "  partial[get_global_id(0)] = get_global_id(0);\n"
                           "}",
                           {{Launch{"f", {10, 1, 1}, {10, 1, 1}}}, {Launch{"sum"}}});
  module.source +=
      "\n__kernel void sum(__global long *out, __global char *workspace) {\n"
      "  out[0] = 0;\n"
      "  for (int n = 0; n < 100; ++n) out[0] += ((__global long *)workspace)[n];\n"
      "}";
  module.workspace_bytes = 800;
  EXPECT_EQ(result_of(load_one(module)), std::vector<long>{4950});
}

// ---- split calls and times

TEST_F(Kernels, runs_on_one_memory_see_each_other) {
  std::vector<Module> modules = {on_longs(1, ") { out[0] += 1; }", {{Launch{"f"}}}),
                                 on_longs(1, ") { out[0] *= 10; }", {{Launch{"g"}}})};
  modules[1].source.replace(modules[1].source.find(" f("), 3, " g(");
  const std::vector<Kernel> kernels = load(modules, context());
  const Memory memory(context(), modules[0].arguments);
  std::vector<long> out{4};
  void* const pointers[] = {out.data()};
  memory.upload(pointers);
  const RunTime time = kernels[0].run(memory);
  kernels[1].run(memory);
  EXPECT_EQ(out[0], 4) << "downloaded only when asked";
  memory.download(pointers);
  EXPECT_EQ(out[0], 50);
  EXPECT_EQ(time.launches, 1);
  EXPECT_GT(time.device_us, 0);
  EXPECT_GE(time.wall_us, time.device_us);
}

/// With what is between them, and in any number.
TEST_F(Kernels, launches_are_timed_as_one_by_the_clock_of_the_device) {
  const std::string slow =
      ") { long x = out[0]; for (int n = 0; n < 20000; ++n) x = x * 3 + 1; out[0] = x; }";
  const auto device_us = [&](int64_t launches) {
    const Module module = on_longs(1, slow, {{Launch{"f"}}});
    Module many = module;
    many.source.replace(many.source.find(") {"), 1, ", long ignored)");
    many.steps = {{Repeat{launches, {{Launch{"f"}}}}}};
    const std::vector<Kernel> kernels = load({&many, 1}, context());
    const Memory memory(context(), many.arguments);
    kernels[0].run(memory);  // drivers may still compile
    const RunTime time = kernels[0].run(memory);
    EXPECT_EQ(time.launches, launches);
    EXPECT_GE(time.wall_us, time.device_us);
    return time.device_us;
  };
  const double one = device_us(1);
  EXPECT_GT(one, 0);
  EXPECT_GT(device_us(1200), 100 * one) << "more than are waited for at once";
}

TEST_F(Kernels, calls_are_made_together_and_timed_as_one) {
  const Module module =
      on_longs(1, ") { out[0] = out[0] * 2 + 1; }", {{Launch{"f"}}, {Launch{"f"}}});
  const Kernel kernel = load_one(module);
  const Memory memory(context(), module.arguments);
  std::vector<long> out{0};
  void* const pointers[] = {out.data()};
  memory.upload(pointers);
  const RunTime time = kernel.run(memory, 5);
  memory.download(pointers);
  EXPECT_EQ(out[0], 1023) << "ten launches, in order";
  EXPECT_EQ(time.launches, 10);
  EXPECT_GT(time.device_us, 0) << "of the first and the last one";
}

/// From the start of the first one to the end of the last, not one of them.
TEST_F(Kernels, the_time_of_calls_together_is_that_of_all) {
  const Module module = on_longs(
      1, ") { long x = out[0]; for (int n = 0; n < 200000; ++n) x = x * 3 + 1; out[0] = x; }",
      {{Launch{"f"}}});
  const Kernel kernel = load_one(module);
  const Memory memory(context(), module.arguments);
  kernel.run(memory);  // drivers may still compile
  double one = kernel.run(memory).device_us;
  for (int n = 0; n < 4; ++n) one = std::min(one, kernel.run(memory).device_us);
  EXPECT_GT(kernel.run(memory, 20).device_us, 15 * one);
}

TEST_F(Kernels, no_modules_are_no_kernels) { EXPECT_TRUE(load({}, context()).empty()); }

TEST_F(Kernels, memory_of_another_context_is_a_bug) {
  const Module module = vector_add();
  const Memory elsewhere(Context(device()), module.arguments);
  const Kernel kernel = load_one(module);
  EXPECT_EQ(diagnostic_of([&] { kernel.run(elsewhere); }).message, "memory of another context");
}

// ---- failures

TEST_F(Kernels, source_that_is_refused_is_a_bug_with_log_and_lines) {
  const Module module = on_longs(1, ") {\n  out[0] = 1;\n  out[0] = undeclared_thing;\n}", {});
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_NE(d.message.find(" refused the printed source (CL_BUILD_PROGRAM_FAILURE):\n"),
            std::string::npos)
      << d.message;
  EXPECT_NE(d.message.find("use of undeclared identifier 'undeclared_thing'"), std::string::npos)
      << d.message;
  EXPECT_NE(d.message.find("    3 |   out[0] = undeclared_thing;\n"), std::string::npos)
      << d.message;
}

TEST_F(Kernels, function_that_is_not_in_the_source_is_a_bug) {
  const Module module = on_longs(1, ") { out[0] = 1; }", {{Launch{"g"}}});
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).message, "the built program lacks 'g'");
}

TEST_F(Kernels, function_that_takes_other_arguments_is_a_bug) {
  const Module module = on_longs(1, ", long a) { out[0] = a; }", {{Launch{"f"}}});
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).message, "'f' takes 3 arguments and gets 2");
}

TEST_F(Kernels, source_in_another_language_is_a_bug) {
  Module module = vector_add();
  module.language = "c";
  EXPECT_EQ(diagnostic_of([&] { load_one(module); }).message,
            "'test' is printed in c, not in opencl");
}

TEST_F(Kernels, group_that_is_too_large_is_refused_before_it_runs) {
  const int64_t most = device().max_work_group_size;
  const Module module = on_longs(1, ") { out[0] = 1; }", {{Launch{"f", {1, 1, 1}, {most, 2, 1}}}});
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  EXPECT_EQ(d.code, "E615");
  EXPECT_NE(d.message.find(fmt::format("groups of {} items", 2 * most)), std::string::npos)
      << d.message;
}

TEST_F(Kernels, local_memory_that_is_too_large_is_refused_before_it_runs) {
  const int64_t bytes = device().local_mem_bytes + 1024;
  const Module module = on_longs(1,
                                 fmt::format(") {{\n"
                                             "  __local char tile[{}];\n"
                                             "  const size_t i = get_local_id(0);\n"
                                             "  tile[i] = out[i];\n"
                                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                             "  out[i] = tile[1 - i];\n"
                                             "}}",
                                             bytes),
                                 {{Launch{"f", {1, 1, 1}, {2, 1, 1}}}});
  const Diagnostic d = diagnostic_of([&] { load_one(module); });
  if (d.message == "(no error was raised)") GTEST_SKIP() << "SKIP: the driver does not count it";
  EXPECT_EQ(d.code, "E615") << d.message;
  EXPECT_NE(d.message.find(" bytes of local memory; "), std::string::npos) << d.message;
}

TEST_F(Kernels, buffer_that_is_too_large_is_refused) {
  const int64_t bytes = device().max_allocation_bytes + 1;
  const Diagnostic d = diagnostic_of([&] { Memory(context(), {output("y", "i8", 1, {bytes})}); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E616");
  EXPECT_EQ(d.message.find(fmt::format("the buffer 'y' has {} bytes; ", bytes)), 0u) << d.message;
}

// ---- threads

/// Two launches that meet in the workspace, with a buffer each: the first doubles, the second adds.
Module two_steps() {
  Module module = module_of(
      {output("y", "i64", 8, {64}), input("x", "i64", 8, {64})},
      "__kernel void first(__global long *y, __global const long *x, __global long *w) {\n"
      "  w[get_global_id(0)] = 2 * x[get_global_id(0)]; }\n"
      "__kernel void second(__global long *y, __global const long *x, __global long *w) "
      "{\n  y[get_global_id(0)] = w[63 - get_global_id(0)] + 1; }",
      {{Launch{"first", {4, 1, 1}, {16, 1, 1}}}, {Launch{"second", {4, 1, 1}, {16, 1, 1}}}});
  module.workspace_bytes = 64 * 8;
  return module;
}

TEST_F(Kernels, threads_that_call_one_kernel_do_not_disturb_each_other) {
  const Kernel kernel = load_one(two_steps());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (long t = 0; t < 4; ++t) {
    threads.emplace_back([&, t, copy = kernel] {
      std::vector<long> x(64, t + 1), y(64);
      for (int n = 0; n < 200; ++n) {
        std::fill(y.begin(), y.end(), -1);
        call(n % 2 == 0 ? kernel : copy, y, x);
        if (y != std::vector<long>(64, 2 * (t + 1) + 1)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0) << "of 800";
}

// ---- arithmetic

/// (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 if it is computed at once, and 0 if the product is rounded.
TEST_F(Kernels, module_that_forbids_contraction_gets_none) {
  Module module = module_of(
      {output("y", "f32", 4, {1}), input("x", "f32", 4, {2})},
      "__kernel void f(__global float *y, __global const float *x, __global char *workspace) {\n"
      "  y[0] = x[0] * x[0] - x[1];\n"
      "}",
      {{Launch{"f"}}});
  module.contract_allowed = false;
  std::vector<float> y{-1}, x{1 + 0x1p-12F, 1 + 0x1p-11F};
  call(load_one(module), y, x);
  EXPECT_EQ(y[0], 0);
}

}  // namespace
}  // namespace mdh::runtime::opencl::kernel_test
