// Compiled code in a process of its own, which may crash, hang, exit or run out of memory.
//
// The process is the program mdh-worker, started anew and not forked, so that it has neither the
// threads nor the OpenMP state of its parent. It is reused for any number of runs; after one that
// ended it, the next run starts another. Buffers are shared memory. What goes wrong is a value.
//
// The process opens the device that a run is meant for and keeps it open, with the last few kernels
// and, where they are to stay, the inputs: a driver that crashes or hangs is one more thing that costs one run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "mdh/kernel/module.h"
#include "mdh/runtime/timer.h"
#include "mdh/runtime/worker/message.h"
#include "mdh/runtime/worker/shared_buffers.h"

namespace mdh::runtime {

/// The helper program: MDH_WORKER, else mdh-worker in the folder of the running program. Empty if
/// there is none; "missing" if MDH_WORKER names none.
std::string find_worker();

struct WorkerOptions {
  double time_limit = 60;    // seconds for one run, loading and measuring included; 0: none
  int64_t memory_limit = 0;  // bytes of address space, those of the program included; 0: none
  std::string program;       // empty: find_worker()
};

struct WorkOptions {
  std::string device = "host";  // where it runs: Device::name()
  std::string model;            // what it has to be there: model_of() of device.h; empty: any
  int threads = 1;
  std::optional<TimingLimits> measure;  // none: run once
  double time_limit = 0;                // seconds for this run; 0: that of the worker
  /// The inputs are those of the run before, if that said so, too: a process that still has them
  /// does not copy them again.
  bool inputs_stay = false;
  bool wants_outputs = true;  // if not, the buffers stay as they were
  /// All bytes of the outputs before the run; none: as they are in the buffers.
  std::optional<int> filled = std::nullopt;
  /// Inputs that stay are all compared after the run; else large ones are part by part, run by run.
  bool compares_all_inputs = false;
};

/// Throws what a failure means to the user of a compiled kernel; nothing if there is none.
void require_success(const Outcome& outcome);

/// For one thread at a time. The process ends with the thread that started it, at the latest.
class Worker {
 public:
  /// "Missing" if there is no helper program.
  explicit Worker(WorkerOptions options = {});
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs a module that was built for a device, once or as often as the measurement needs. After
  /// success the outputs are in the buffers, if they are wanted; after a failure the buffers are as
  /// they were.
  Outcome run(const kernel::Module& module, const std::string& library,
              const SharedBuffers& buffers, const WorkOptions& options = {});

  /// The process, or 0 while there is none.
  pid_t process() const { return process_; }

 private:
  bool start();
  bool deliver(const WorkRequest& request, const SharedBuffers& buffers);
  Outcome attempt(const WorkRequest& request, const SharedBuffers& buffers);
  Outcome await(double time_limit);
  Outcome buried(const std::optional<CrashNote>& note);
  bool is_gone();
  std::optional<int> end(double patience);

  WorkerOptions options_;
  pid_t process_ = 0;
  int socket_ = -1;
  bool last_words_ = false;  // the process that ended last told why
};

}  // namespace mdh::runtime
