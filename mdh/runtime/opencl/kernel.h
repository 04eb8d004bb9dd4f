// OpenCL sources, built for a device and launched on it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/opencl/context.h"
#include "mdh/runtime/opencl/memory.h"

namespace mdh::runtime::opencl {

/// How long the launches of a run took, or of several that were made together.
struct RunTime {
  double device_us = 0;  // the device's own clock: from the first start to the last end
  double wall_us = 0;    // from before the first launch until all are done
  int64_t launches = 0;
};

/// A built module. A launched function is called with the buffers of all arguments, outputs first,
/// the workspace, and one 64-bit integer per Repeat around its launch, outermost first.
///
/// Drivers may finish compiling at the first launch: warm up before timing. Copies share one
/// program.
///
/// Any number of threads may call a kernel, and copies of it, at the same time: each call has
/// functions with arguments of their own and a workspace of its own, which are kept for later
/// calls. Their launches wait in one queue.
class Kernel {
 public:
  /// Everything at once, from and to the host's memory: one pointer per argument, outputs first.
  void operator()(std::span<void* const> buffers) const;

  /// Only the launches, on memory that was uploaded before. Many calls are made one behind the
  /// other, without the host in between, and timed together.
  RunTime run(const Memory& memory, int calls = 1) const;

  /// The same on any memory of its context. A stream is a cl_command_queue; with one, the run is
  /// not over on return and no time is known.
  RunTime run(const RunOn& on, int calls = 1) const;

  const kernel::Module& module() const;
  const Context& context() const;

  /// What its functions need, one by one.
  std::vector<Resources> resources() const;

 private:
  friend std::vector<Kernel> load(std::span<const kernel::Module>, const Context&);
  struct State;
  explicit Kernel(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

/// Builds all modules as one program, which is cheaper than one each. Refuses launches that the
/// device cannot make (E615), before anything runs.
std::vector<Kernel> load(std::span<const kernel::Module> modules, const Context& context);

}  // namespace mdh::runtime::opencl
