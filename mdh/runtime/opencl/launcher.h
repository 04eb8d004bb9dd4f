// Launches, one after the other. Only the sources of this folder include this header.
#pragma once

#include <span>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/opencl/handles.h"
#include "mdh/runtime/opencl/kernel.h"

namespace mdh::runtime::opencl {

/// Puts launches into the queue and times them as one. It waits now and then, not for every
/// launch, so that neither the queue nor the number of events grows without limit. In a queue of
/// the caller's it does not wait and knows no times.
class Launcher {
 public:
  Launcher(const Context::Handles& on, size_t first_index, cl_command_queue of_caller)
      : on_(on), first_index_(first_index), of_caller_(of_caller) {}

  /// Of launches from now on. Only what is watched has times; the first and the last launch have to
  /// be.
  void watch(bool on) { is_watching_ = on; }

  /// The function has its buffers; the indices become the arguments behind them.
  void launch(cl_kernel function, const kernel::Launch& launch, std::span<const int64_t> indices);

  /// Waits for all launches; no wall-clock time.
  RunTime finish();

 private:
  void drain();

  const Context::Handles& on_;
  size_t first_index_;
  cl_command_queue of_caller_;  // none: that of the context
  bool is_watching_ = true;
  std::vector<Owned<cl_event>> pending_;
  cl_ulong first_start_ = 0, last_end_ = 0;  // nanoseconds of the device's clock
  RunTime time_;
};

}  // namespace mdh::runtime::opencl
