#include "mdh/driver/executable.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::driver::executable_test {
namespace {

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

Executable compiled(const hl::Program& p, int cores = 1) {
  return compile(p, cpu(), ll::default_config(p, cpu(), cores), find_target("openmp"));
}

// 1 2 3     1     14
// 4 5 6  *  2  =  32
//           3
TEST(Executable, computes_on_the_memory_it_is_given) {
  const Executable run = compiled(matvec(Scalar::f32, 2, 3));
  float w[2] = {-1, -1}, M[6] = {1, 2, 3, 4, 5, 6}, v[3] = {1, 2, 3};
  void* const buffers[] = {w, M, v};
  run(buffers, 1);
  EXPECT_EQ(w[0], 14);
  EXPECT_EQ(w[1], 32);
  M[0] = 11;
  run(buffers, 1);
  EXPECT_EQ(w[0], 24) << "the second call sees the new data and forgets the old result";
}

TEST(Executable, any_number_of_threads_computes_the_same) {
  const Executable run = compiled(sum(Scalar::i64, 1000), 4);
  EXPECT_EQ(run.module().parts_on_cores, 4);
  std::vector<int64_t> x(1000);
  for (int64_t k = 0; k < 1000; ++k) x[k] = k + 1;
  for (int threads = 1; threads <= 7; ++threads) {
    int64_t s = -1;
    void* const buffers[] = {&s, x.data()};
    run(buffers, threads);
    EXPECT_EQ(s, 500500) << threads << " threads";
  }
}

TEST(Executable, copy_outlives_the_original) {
  std::optional<Executable> original = compiled(sum(Scalar::i32, 3));
  const Executable copy = *original;
  original.reset();
  int32_t s = 0, x[3] = {1, 10, 100};
  void* const buffers[] = {&s, x};
  copy(buffers, 1);
  EXPECT_EQ(s, 111);
}

/// Calls that gave something else than K times the number of their thread. All calls of a thread
/// read its own numbers; `of(t)` is what thread t calls.
long wrong_sums(int threads, int calls, int64_t K, int threads_of_a_call,
                const std::function<const Executable&(int)>& of) {
  std::atomic<long> wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      std::vector<int64_t> x(static_cast<size_t>(K), t + 1);
      for (int n = 0; n < calls; ++n) {
        int64_t s = -1;
        void* const buffers[] = {&s, x.data()};
        of(t)(buffers, threads_of_a_call);
        if (s != K * (t + 1)) ++wrong;
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  return wrong;
}

TEST(ExecutableThreads, eight_threads_call_one_executable_ten_thousand_times_each) {
  const Executable run = compiled(sum(Scalar::i64, 1000), 4);
  ASSERT_GT(run.module().workspace(), 0) << "there is something to share";
  EXPECT_EQ(wrong_sums(8, 10000, 1000, 1, [&](int) -> const Executable& { return run; }), 0);
}

TEST(ExecutableThreads, copies_may_be_called_at_the_same_time) {
  const Executable run = compiled(sum(Scalar::i64, 500), 3);
  const std::vector<Executable> copies(6, run);
  EXPECT_EQ(wrong_sums(6, 3000, 500, 1, [&](int t) -> const Executable& { return copies[t]; }), 0);
}

TEST(ExecutableThreads, each_call_may_have_threads_of_its_own) {
  const Executable run = compiled(sum(Scalar::i64, 4096), 2);
  EXPECT_EQ(wrong_sums(3, 200, 4096, 2, [&](int) -> const Executable& { return run; }), 0);
}

TEST(ExecutableThreads, floats_give_what_one_thread_gives) {
  const Executable run = compiled(matvec(Scalar::f32, 1, 3500), 4);
  ASSERT_GT(run.module().workspace(), 0) << "there is something to share";
  const auto result = [&](float factor) {
    std::vector<float> w(1), M(3500), v(3500);
    for (size_t n = 0; n < M.size(); ++n) M[n] = factor / static_cast<float>(n + 3);
    for (size_t k = 0; k < v.size(); ++k) v[k] = 1.0F / static_cast<float>(k + 1);
    void* const buffers[] = {w.data(), M.data(), v.data()};
    run(buffers, 1);
    return w;
  };
  const std::vector<float> one = result(1), two = result(-2.5F);
  std::atomic<int> wrong{0};
  const auto repeat = [&](float factor, const std::vector<float>& expected) {
    for (int n = 0; n < 1000; ++n) wrong += result(factor) == expected ? 0 : 1;
  };
  std::thread first(repeat, 1.0F, one), second(repeat, -2.5F, two);
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Executable, arguments_are_the_buffers_outputs_first) {
  const Executable run = compiled(map(Scalar::f64, 4, "x", 2));
  ASSERT_EQ(run.module().arguments.size(), 2u);
  EXPECT_EQ(run.module().arguments[0].name, "y");
  EXPECT_TRUE(run.module().arguments[0].is_output);
  EXPECT_EQ(run.module().arguments[0].extents, std::vector<int64_t>{7}) << "0, 2, 4, 6";
  EXPECT_EQ(run.module().arguments[1].name, "x");
  EXPECT_FALSE(run.module().arguments[1].is_output);
  EXPECT_EQ(run.module().arguments[1].bytes(), 4 * 8);
}

TEST(Executable, without_a_compiler_there_is_none) {
  const runtime::ScopedEnvironment cc("MDH_CC", "/nonexistent");
  const Diagnostic d = diagnostic_of([] { compiled(sum(Scalar::f32, 3)); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E601");
}

}  // namespace
}  // namespace mdh::driver::executable_test
