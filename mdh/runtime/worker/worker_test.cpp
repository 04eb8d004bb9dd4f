// What a worker computes, how it begins and how it ends.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "mdh/runtime/worker/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::worker_test {
namespace {

// ---- good runs

TEST(Worker, computes_in_another_process_that_is_reused) {
  Worker worker(options());
  EXPECT_EQ(worker.process(), 0) << "not started before it is needed";
  const Work work("int getpid(void); out[0] = getpid();");
  ASSERT_EQ(work.on(worker).status, WorkStatus::ok);
  EXPECT_EQ(work.values()[0], worker.process());
  EXPECT_NE(worker.process(), getpid());
  const long first = work.values()[0];
  for (int round = 0; round < 20; ++round) {
    const Work other(fmt::format("out[0] = {};", round));
    ASSERT_EQ(other.on(worker).status, WorkStatus::ok);
    EXPECT_EQ(other.values()[0], round);
  }
  EXPECT_EQ(worker.process(), first);
}

TEST(Worker, inputs_arrive_and_only_outputs_come_back) {
  Module module{.language = "c", .name = "f", .steps = {{kernel::Launch{"f"}}}};
  module.source =
      "void f(void **b, char *w, long t) {\n"
      "  for (int n = 0; n < 1000; ++n) ((int *)b[0])[n] = ((int *)b[1])[n] + *(int *)b[2];\n"
      "  *(int *)b[2] = 99; }";
  module.arguments = {
      {"y", "i32", 4, {1000}, true}, {"x", "i32", 4, {1000}, false}, {"c", "i32", 4, {}, false}};
  const Work compiled(module);
  const SharedBuffers buffers({4000, 4000, 4});
  auto* y = static_cast<int*>(buffers.pointers()[0]);
  auto* x = static_cast<int*>(buffers.pointers()[1]);
  auto* c = static_cast<int*>(buffers.pointers()[2]);
  for (int n = 0; n < 1000; ++n) x[n] = n * n;
  *c = 5;
  Worker worker(options());
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(worker.run(module, compiled.object.path, buffers).status, WorkStatus::ok);
    for (int n = 0; n < 1000; ++n) ASSERT_EQ(y[n], n * n + 5);
    EXPECT_EQ(*c, 5) << "a kernel that writes its inputs does not spoil them";
  }
}

/// y = x + c, and what the test wants to happen then.
struct Sum {
  Module module;
  SharedBuffers buffers{{8, 8, 8}};

  explicit Sum(const std::string& more = "")
      : module{.language = "c", .name = "f", .steps = {{kernel::Launch{"f"}}}} {
    module.source =
        "void f(void **b, char *w, long t) {\n  long *y = b[0], *x = b[1], *c = b[2];\n  *y = *x + "
        "*c;" +
        more + " }";
    module.arguments = {
        {"y", "i64", 8, {}, true}, {"x", "i64", 8, {}, false}, {"c", "i64", 8, {}, false}};
    set(0, -1);
    set(1, 3);
    set(2, 5);
  }

  void set(size_t n, long value) { *static_cast<long*>(buffers.pointers()[n]) = value; }
  long result() const { return *static_cast<long*>(buffers.pointers()[0]); }
};

TEST(Worker, inputs_that_stay_are_not_copied_again) {
  Sum sum;
  const Work compiled(sum.module);
  Worker worker(options());
  const auto result = [&](bool stay) {
    sum.set(0, -1);
    const Outcome outcome =
        worker.run(sum.module, compiled.object.path, sum.buffers, {.inputs_stay = stay});
    EXPECT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
    return sum.result();
  };
  EXPECT_EQ(result(true), 8);
  sum.set(1, 30);
  EXPECT_EQ(result(true), 8) << "the promise was that they are the same";
  EXPECT_EQ(result(false), 35);
  sum.set(1, 300);
  EXPECT_EQ(result(true), 305) << "what was not promised is not kept";
  Sum other;
  other.set(1, 7);
  ASSERT_EQ(
      worker.run(other.module, compiled.object.path, other.buffers, {.inputs_stay = true}).status,
      WorkStatus::ok);
  EXPECT_EQ(other.result(), 12) << "other buffers of the same size";
  EXPECT_EQ(result(true), 305);
}

TEST(Worker, inputs_that_stay_cannot_be_written) {
  Sum sum("\n  *c = 99;");
  const Work compiled(sum.module);
  Worker worker(options());
  const WorkOptions stay{.inputs_stay = true};
  EXPECT_EQ(worker.run(sum.module, compiled.object.path, sum.buffers, stay).status,
            WorkStatus::crash);
  Sum good;
  const Work other(good.module);
  ASSERT_EQ(worker.run(good.module, other.object.path, good.buffers, stay).status, WorkStatus::ok);
  EXPECT_EQ(good.result(), 8);
}

TEST(Worker, outputs_that_are_not_wanted_stay_as_they_were) {
  Sum sum;
  const Work compiled(sum.module);
  Worker worker(options());
  const WorkOptions only_time{.measure = TimingLimits{.warm_up = 0, .least = 2, .most = 2},
                              .inputs_stay = true,
                              .wants_outputs = false};
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = worker.run(sum.module, compiled.object.path, sum.buffers, only_time);
    ASSERT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
    EXPECT_EQ(outcome.timing.count, 2);
    EXPECT_EQ(sum.result(), -1);
  }
}

TEST(Worker, outputs_that_are_not_written_keep_what_they_had) {
  const Work work(module_of("f", "out[1] = 7;", 3));
  Worker worker(options());
  ASSERT_EQ(work.on(worker).status, WorkStatus::ok);
  EXPECT_EQ(work.values()[0], -1);
  EXPECT_EQ(work.values()[1], 7);
  EXPECT_EQ(work.values()[2], -1);
}

TEST(Worker, threads_workspace_and_repeated_launches_are_as_in_this_process) {
  Module module = module_of("f",
                            "out[0] = threads; ++*(long *)workspace; out[1] = *(long *)workspace;\n"
                            "out[2] = (unsigned long)workspace % 64;",
                            3);
  module.source += "\nvoid zero(void **b, char *w, long t) { *(long *)w = 100; }";
  module.steps = {{kernel::Launch{"zero"}}, {kernel::Repeat{3, {{kernel::Launch{"f"}}}}}};
  module.workspace_bytes = 8;
  module.parts_on_cores = 4;
  const Work work(module);
  Worker worker(options());
  ASSERT_EQ(work.on(worker, {.threads = 9}).status, WorkStatus::ok);
  EXPECT_EQ(work.values()[0], 4);
  EXPECT_EQ(work.values()[1], 103);
  EXPECT_EQ(work.values()[2], 0);
}

/// Where two threads of a worker run.
std::pair<int64_t, int64_t> cores_of_two_threads(Worker& worker) {
  Module module = module_of("f",
                            "#pragma omp parallel num_threads(2)\n"
                            "out[omp_get_thread_num()] = sched_getcpu();",
                            2);
  module.source = "int sched_getcpu(void); int omp_get_thread_num(void);\n" + module.source;
  const Work work(module);
  const Outcome outcome = work.on(worker, {.threads = 2});
  EXPECT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
  return {work.values()[0], work.values()[1]};
}

TEST(Worker, threads_have_cores_of_their_own) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof(all), &all);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two cores";
  for (int n = 0; n < 5; ++n) {
    Worker worker(options());
    const auto [a, b] = cores_of_two_threads(worker);
    EXPECT_NE(a, b);
  }
}

TEST(Worker, bound_threads_have_cores_of_their_own_although_the_parent_is_confined) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof(all), &all);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two cores";
  const ScopedEnvironment bind("OMP_PROC_BIND", "true"), places("OMP_PLACES", "threads");
  Worker worker(options());
  cpu_set_t first;  // as OpenMP leaves the thread that loads a kernel
  CPU_ZERO(&first);
  CPU_SET(sched_getcpu(), &first);
  sched_setaffinity(0, sizeof(first), &first);
  const auto [a, b] = cores_of_two_threads(worker);
  sched_setaffinity(0, sizeof(all), &all);
  EXPECT_NE(a, b);
}

TEST(Worker, the_user_decides_where_threads_run) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof(all), &all);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two cores";
  const ScopedEnvironment bind("OMP_PROC_BIND", "true"), places("OMP_PLACES", "{1},{1}");
  Worker worker(options());
  const auto [a, b] = cores_of_two_threads(worker);
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 1);
}

TEST(Worker, openmp_works_with_any_number_of_threads) {
  Module module = module_of("f",
                            "out[0] = 0;\n"
                            "#pragma omp parallel for num_threads(threads) reduction(+ : out[0])\n"
                            "for (long n = 0; n < 1000; ++n) out[0] += n;");
  module.parts_on_cores = 16;
  const Work work(module);
  Worker worker(options());
  for (const int threads : {1, 2, 5, 3, 16}) {
    work.values()[0] = -1;
    ASSERT_EQ(work.on(worker, {.threads = threads}).status, WorkStatus::ok);
    EXPECT_EQ(work.values()[0], 499500);
  }
}

TEST(Worker, measures_by_the_rules_of_the_timer) {
  const Work work(
      "static long calls; out[0] = ++calls;\nfor (volatile int n = 0; n < 100000;) n = n + 1;");
  Worker worker(options());
  const Outcome outcome =
      work.on(worker, {.measure = TimingLimits{.warm_up = 3, .least = 4, .accuracy = 1e9}});
  ASSERT_EQ(outcome.status, WorkStatus::ok);
  EXPECT_EQ(outcome.timing.count, 4);
  EXPECT_GT(outcome.timing.median_us, 1);
  EXPECT_EQ(work.values()[0], 3 + 4);
  EXPECT_EQ(work.on(worker).timing.count, 0);
}

TEST(Worker, large_buffers_go_both_ways) {
  constexpr int64_t count = 4 << 20;
  const Work work(
      module_of("f", fmt::format("for (long n = 0; n < {}; ++n) out[n] = n;", count), count));
  Worker worker(options());
  ASSERT_EQ(work.on(worker).status, WorkStatus::ok);
  for (int64_t n = 0; n < count; ++n) ASSERT_EQ(work.values()[n], n);
}

// ---- mistakes

TEST(WorkerError, entry_that_is_missing) {
  Work work("out[0] = 1;");
  work.module.steps = {{kernel::Launch{"g"}}};
  Worker worker(options());
  const Outcome outcome = work.on(worker);
  EXPECT_EQ(outcome.status, WorkStatus::error);
  EXPECT_EQ(outcome.reason.find("the compiled library lacks 'g'"), 0u) << outcome.reason;
  EXPECT_NE(worker.process(), 0) << "a mistake that does not end it";
  expect_usable(worker);
}

TEST(WorkerError, library_that_is_missing) {
  const Work work("out[0] = 1;");
  Worker worker(options());
  const Outcome outcome = worker.run(work.module, "/nowhere/kernels.so", work.buffers);
  EXPECT_EQ(outcome.status, WorkStatus::error);
  EXPECT_NE(outcome.reason.find("/nowhere/kernels.so"), std::string::npos) << outcome.reason;
  expect_usable(worker);
}

TEST(WorkerError, message_that_is_too_long) {
  Work work("out[0] = 1;");
  work.module.steps = std::vector<kernel::Step>(1000000, {kernel::Launch{"f"}});
  Worker worker(options());
  EXPECT_EQ(work.on(worker).status, WorkStatus::error);
  expect_usable(worker);
}

TEST(WorkerError, program_that_is_no_worker) {
  const Work work("out[0] = 1;");
  Worker none({.program = "/nowhere/worker"});
  EXPECT_EQ(work.on(none).status, WorkStatus::error);
  EXPECT_EQ(work.on(none).reason, "'/nowhere/worker' cannot be started, or does not listen");
  const Script other("exit 5");
  Worker wrong({.program = other.path()});
  const Outcome outcome = work.on(wrong);
  EXPECT_TRUE(outcome.status == WorkStatus::exit || outcome.status == WorkStatus::error);
  EXPECT_FALSE(has_children());
}

// ---- from outside

TEST(WorkerKilled, between_runs_nobody_notices) {
  Worker worker(options());
  expect_usable(worker);
  const pid_t first = worker.process();
  kill(first, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  expect_usable(worker);
  EXPECT_NE(worker.process(), first);
}

TEST(WorkerKilled, during_a_run_is_a_crash) {
  Worker worker(options());
  expect_usable(worker);
  const Work work("unsigned sleep(unsigned); sleep(30);");
  std::thread killer([process = worker.process()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    kill(process, SIGKILL);
  });
  const Outcome outcome = work.on(worker);
  killer.join();
  EXPECT_EQ(outcome.status, WorkStatus::crash);
  EXPECT_EQ(outcome.reason.find("was killed, from outside"), 0u) << outcome.reason;
  expect_usable(worker);
}

TEST(Worker, ends_with_the_object_and_leaves_nothing) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto before = open_files();
  pid_t process = 0;
  {
    Worker worker(options());
    expect_usable(worker);
    process = worker.process();
    const Work crash("*(volatile int *)0 = 1;");
    crash.on(worker);
    expect_usable(worker);
  }
  EXPECT_FALSE(has_children());
  EXPECT_EQ(kill(process, 0), -1);
  EXPECT_EQ(open_files(), before);
}

// ---- what it means

TEST(RequireSuccess, failures_are_errors_with_a_code_and_a_cause) {
  const auto failure = [](WorkStatus status, const std::string& reason) {
    return diagnostic_of([&] { require_success({status, reason, {}}); });
  };
  EXPECT_NO_THROW(require_success({}));
  const Diagnostic crash = failure(WorkStatus::crash, "crashed with signal 11");
  EXPECT_EQ(crash.kind, DiagnosticKind::internal);
  EXPECT_EQ(crash.code, "E609");
  EXPECT_EQ(crash.message, "the compiled kernel crashed with signal 11");
  EXPECT_EQ(failure(WorkStatus::exit, "ended the process").code, "E609");
  const Diagnostic timeout = failure(WorkStatus::timeout, "did not finish within 1 s");
  EXPECT_EQ(timeout.kind, DiagnosticKind::user);
  EXPECT_EQ(timeout.code, "E618");
  EXPECT_EQ(timeout.message, "the compiled kernel did not finish within 1 s");
  const Diagnostic memory = failure(WorkStatus::out_of_memory, "no memory");
  EXPECT_EQ(memory.kind, DiagnosticKind::missing);
  EXPECT_EQ(memory.code, "E619");
  EXPECT_EQ(memory.message, "the compiled kernel cannot run: no memory");
  const Diagnostic room = failure(WorkStatus::no_room, "no memory for its buffers");
  EXPECT_EQ(room.code, "E619");
  EXPECT_EQ(room.message,
            "there is no room for the buffers of the program: no memory for its buffers");
  EXPECT_EQ(failure(WorkStatus::error, "no entry").kind, DiagnosticKind::internal);
}

// ---- where it is

TEST(FindWorker, variable_names_it) {
  const Script program("exit 0");
  const ScopedEnvironment worker("MDH_WORKER", program.path());
  EXPECT_EQ(find_worker(), program.path());
  const ScopedEnvironment wrong("MDH_WORKER", "/nonexistent");
  const Diagnostic d = diagnostic_of([] { find_worker(); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E608");
  EXPECT_EQ(d.message, "the program '/nonexistent' named by MDH_WORKER was not found");
}

TEST(FindWorker, without_the_variable_it_lies_beside_the_running_program) {
  const ScopedEnvironment none("MDH_WORKER", std::nullopt);
  EXPECT_EQ(find_worker(), "") << "the tests lie in another folder";
  const Diagnostic d = diagnostic_of([] { Worker(); });
  EXPECT_EQ(d.kind, DiagnosticKind::missing);
  EXPECT_EQ(d.code, "E608");
}

}  // namespace
}  // namespace mdh::runtime::worker_test
