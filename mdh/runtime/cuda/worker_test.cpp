// Kernels of the fake driver in a worker: what breaks a context costs one process, and no run after.
#include "mdh/runtime/worker/worker.h"

#include "mdh/runtime/cuda/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::cuda::worker_test {
namespace {

class CudaWorker : public FakeCuda {
 protected:
  Outcome run(const kernel::Module& module, WorkOptions how = {}) {
    const Built built = open()->build({{module}}, {}).front().front();
    if (!built.object) return {WorkStatus::error, built.failure.text, {}};
    for (int n = 0; n < 8; ++n) values()[n] = -1;
    how.device = "cuda:0";
    return worker_->run(module, built.object->path, buffers_, how);
  }

  long* values() const { return static_cast<long*>(buffers_.pointers()[0]); }

  void expect_usable() {
    const Outcome outcome = run(fake_index());
    EXPECT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
    EXPECT_EQ(values()[7], 7);
  }

  SharedBuffers buffers_{{64}};
  std::optional<Worker> worker_{std::in_place, WorkerOptions{.program = MDH_WORKER_FILE}};
};

kernel::Module faulty() {
  return fake_module({.name = "f", .verb = "fault"}, {{kernel::Launch{"f"}}});
}

TEST_F(CudaWorker, keeps_its_process_as_long_as_all_is_well) {
  expect_usable();
  const pid_t first = worker_->process();
  expect_usable();
  EXPECT_EQ(worker_->process(), first);
}

TEST_F(CudaWorker, is_timed_by_the_clock_of_the_device) {
  const Outcome outcome = run(
      fake_index(), {.measure = TimingLimits{.warm_up = 1, .least = 3, .most = 3, .seconds = 10}});
  EXPECT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
  EXPECT_NEAR(outcome.timing.median_us, 2, 0.001) << "two groups";
}

TEST_F(CudaWorker, ends_with_the_context_that_a_kernel_broke) {
  const Outcome outcome = run(faulty());
  EXPECT_EQ(outcome.status, WorkStatus::crash);
  EXPECT_EQ(outcome.reason,
            "broke its device: a kernel broke its CUDA context: it used an address outside of its "
            "memory (CUDA_ERROR_ILLEGAL_ADDRESS in cuStreamSynchronize)");
  EXPECT_EQ(worker_->process(), 0) << "it is over";
  EXPECT_EQ(values()[0], -1) << "and there is no half result";
  expect_usable();
}

TEST_F(CudaWorker, tries_again_in_a_new_process_before_it_blames_a_kernel) {
  expect_usable();
  EXPECT_EQ(run(faulty()).status, WorkStatus::crash);
  EXPECT_EQ(worker_->process(), 0);
  expect_usable();
}

TEST_F(CudaWorker, every_kind_of_breakage_is_a_crash) {
  for (const int status : {702, 715, 716, 719}) {
    worker_.emplace(WorkerOptions{.program = MDH_WORKER_FILE});  // one that knows the variable
    {
      const ScopedEnvironment fails("FAKE_CUDA_FAIL", fmt::format("launch={}", status));
      const Outcome outcome = run(fake_index());
      EXPECT_EQ(outcome.status, WorkStatus::crash) << outcome.reason;
      EXPECT_NE(outcome.reason.find(status_name(status)), std::string::npos) << outcome.reason;
      EXPECT_EQ(worker_->process(), 0) << status;
    }
    expect_usable();
  }
}

TEST_F(CudaWorker, stays_where_there_is_only_too_little_memory) {
  kernel::Module greedy = fake_index();
  greedy.workspace_bytes = int64_t{1} << 60;
  EXPECT_EQ(run(greedy).status, WorkStatus::out_of_memory);
  EXPECT_NE(worker_->process(), 0);
  expect_usable();
}

TEST_F(CudaWorker, tells_buffers_that_do_not_fit_from_what_a_kernel_needs_besides) {
  expect_usable();
  const SharedBuffers large({int64_t{9} << 30});  // of a device with 8 GiB
  const Built built = open()->build({{fake_index()}}, {}).front().front();
  const Outcome outcome =
      worker_->run(fake_index(), built.object->path, large, {.device = "cuda:0"});
  EXPECT_EQ(outcome.status, WorkStatus::no_room) << outcome.reason;
  EXPECT_NE(outcome.reason.find("9663676416 bytes"), std::string::npos) << outcome.reason;
  expect_usable();
}

TEST_F(CudaWorker, a_device_that_is_not_there_costs_one_run) {
  const Built built = open()->build({{fake_index()}}, {}).front().front();
  const ScopedEnvironment none("FAKE_CUDA_FAIL", "cuInit=100");
  const Outcome outcome =
      worker_->run(fake_index(), built.object->path, buffers_, {.device = "cuda:0"});
  EXPECT_EQ(outcome.status, WorkStatus::no_device);
  EXPECT_EQ(outcome.reason, "there is no CUDA device");
}

/// A failure is a user's to read, as every crash in a worker is.
TEST_F(CudaWorker, breakage_is_told_to_the_user) {
  const Outcome outcome = run(faulty());
  const Diagnostic d = diagnostic_of([&] { require_success(outcome); });
  EXPECT_EQ(d.code, "E609");
  EXPECT_EQ(d.message.find("the compiled kernel broke its device: "), 0u) << d.message;
}

}  // namespace
}  // namespace mdh::runtime::cuda::worker_test
