// Everything that compiled code can do to the process it runs in.
#include <gtest/gtest.h>

#include <chrono>

#include "mdh/runtime/worker/testing.h"

namespace mdh::runtime::failures_test {
namespace {

void expect_outcome(const std::string& body, const WorkerOptions& how, WorkStatus status,
                    const std::string& reason) {
  {
    Worker worker(how);
    const Work work(body);
    const Outcome outcome = work.on(worker);
    EXPECT_EQ(to_string(outcome.status), to_string(status)) << outcome.reason;
    EXPECT_NE(outcome.reason.find(reason), std::string::npos) << outcome.reason;
    EXPECT_EQ(worker.process(), 0) << "it is over";
    EXPECT_FALSE(has_children()) << "and no zombie is left";
    EXPECT_EQ(work.values()[0], -1) << "nor a half result";
    expect_usable(worker);
  }
  EXPECT_FALSE(has_children());
}

// ---- crashes and other ends

TEST(WorkerCrash, segmentation_fault) {
  expect_outcome("out[0] = 1; *(volatile int *)16 = 1;", options(), WorkStatus::crash,
                 "crashed with signal 11 (Segmentation fault) at address 0x10");
}

TEST(WorkerCrash, abort) {
  expect_outcome("void abort(void); out[0] = 1; abort();", options(), WorkStatus::crash,
                 "crashed with signal 6 (Aborted)");
}

TEST(WorkerCrash, illegal_instruction) {
  expect_outcome("__builtin_trap();", options(), WorkStatus::crash, "crashed with signal ");
}

TEST(WorkerCrash, stack_overflow) {
  expect_outcome(
      "volatile char big[1 << 16]; big[0] = 1; void (*volatile self)(void **, char *, long) = f;\n"
      "self(buffers, (char *)big, threads); out[0] = big[0];",
      options(), WorkStatus::crash, "crashed with signal 11");
}

TEST(WorkerCrash, in_a_thread_of_openmp) {
  expect_outcome("#pragma omp parallel num_threads(4)\n*(volatile int *)0 = 1;", options(),
                 WorkStatus::crash, "crashed with signal 11");
}

TEST(WorkerCrash, writing_behind_a_buffer) {
  for (const int64_t count : {1, 7, 512, 100000}) {
    Worker worker(options());
    const Work work(module_of("f", fmt::format("out[{}] = 3;", count + 7), count));
    const Outcome outcome = work.on(worker);
    EXPECT_EQ(outcome.status, WorkStatus::crash) << count;
    expect_usable(worker);
  }
}

/// Code that an earlier kernel left in a state in which it cannot work.
TEST(WorkerCrash, of_a_process_that_others_have_spoilt_does_not_count) {
  Worker worker(options());
  const Work spoils("int setenv(const char *, const char *, int); setenv(\"SPOILT\", \"1\", 1);");
  const Work suffers(
      "char *getenv(const char *); if (getenv(\"SPOILT\")) *(volatile int *)0 = 1;\nout[0] = 5;");
  ASSERT_EQ(spoils.on(worker).status, WorkStatus::ok);
  const pid_t first = worker.process();
  const Outcome outcome = suffers.on(worker);
  EXPECT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
  EXPECT_EQ(suffers.values()[0], 5);
  EXPECT_NE(worker.process(), first);
  const Work wrong("*(volatile int *)0 = 1;");
  EXPECT_EQ(wrong.on(worker).status, WorkStatus::crash) << "also in a new process";
}

TEST(WorkerExit, any_exit_code) {
  for (const int code : {0, 3}) {
    expect_outcome(fmt::format("void exit(int); out[0] = 1; exit({});", code), options(),
                   WorkStatus::exit, fmt::format("ended the process with exit code {}", code));
  }
}

TEST(WorkerTimeout, infinite_loop) {
  WorkerOptions short_time = options();
  short_time.time_limit = 0.3;
  const auto begin = std::chrono::steady_clock::now();
  expect_outcome("for (volatile int n = 0;;) n = n + 1;", short_time, WorkStatus::timeout,
                 "did not finish within 0.3 s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(WorkerTimeout, hang_that_ignores_signals) {
  WorkerOptions short_time = options();
  short_time.time_limit = 0.3;
  expect_outcome(
      "void (*signal(int, void (*)(int)))(int); unsigned sleep(unsigned);\n"
      "for (int s = 1; s < 32; ++s) signal(s, (void (*)(int))1);\nfor (;;) sleep(1);",
      short_time, WorkStatus::timeout, "did not finish within 0.3 s");
}

TEST(WorkerTimeout, measurement_is_limited_as_a_whole) {
  WorkerOptions short_time = options();
  short_time.time_limit = 0.3;
  Worker worker(short_time);
  const Work work("int usleep(unsigned); usleep(10000); out[0] = 1;");
  const Outcome outcome =
      work.on(worker, {.measure = TimingLimits{.most = 1000000, .seconds = 100, .accuracy = 0}});
  EXPECT_EQ(outcome.status, WorkStatus::timeout);
  expect_usable(worker);
}

TEST(WorkerMemory, allocation_beyond_the_limit) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs more address space than the test leaves";
#endif
  WorkerOptions little = options();
  little.memory_limit = int64_t{1} << 30;
  expect_outcome(
      "void *malloc(unsigned long);\n"
      "volatile char *block = malloc(2UL << 30); block[0] = 1; out[0] = block[0];",
      little, WorkStatus::out_of_memory, "ran out of memory and then crashed with signal 11");
}

TEST(WorkerMemory, buffers_and_workspace_beyond_the_limit) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs more address space than the test leaves";
#endif
  WorkerOptions little = options();
  little.memory_limit = int64_t{1} << 30;
  Worker worker(little);
  Module module = module_of("f", "out[0] = 1;");
  module.workspace_bytes = int64_t{2} << 30;
  const Outcome workspace = Work(module).on(worker);
  EXPECT_EQ(workspace.status, WorkStatus::out_of_memory);
  EXPECT_EQ(workspace.reason, "no memory for a workspace of 2147483648 bytes");
  const Module plain = module_of("f", "out[0] = 1;");
  const SharedBuffers large({int64_t{2} << 30});
  const Outcome buffers = worker.run(plain, Work(plain).object.path, large);
  EXPECT_EQ(buffers.status, WorkStatus::no_room) << buffers.reason;
  EXPECT_NE(worker.process(), 0) << "it noticed in time";
  expect_usable(worker);
}

}  // namespace
}  // namespace mdh::runtime::failures_test
