// A computation, compiled: callable on the user's memory.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "mdh/driver/stages.h"
#include "mdh/runtime/host/library.h"
#include "mdh/runtime/opencl/kernel.h"
#include "mdh/runtime/timer.h"

namespace mdh::driver {

/// Any number of threads may call an executable, and copies of it, at the same time.
class Executable {
 public:
  Executable(Stages stages, runtime::host::Kernel kernel);
  Executable(Stages stages, runtime::opencl::Kernel kernel);

  /// One pointer per buffer, outputs first, in declaration order; row-major, of the extents in
  /// module().arguments. A device has its own number of cores. Outputs must not overlap other
  /// buffers (overlap.h).
  void operator()(std::span<void* const> buffers, int threads) const;

  const Stages& stages() const { return stages_; }
  const kernel::Module& module() const { return stages_.module; }

  /// The compiled file, for a worker; nothing on a device.
  std::string library() const;

  /// What the user should know about how it was compiled; mostly nothing.
  std::string remark() const;

  /// The kernel of a device; nothing on this machine.
  const runtime::opencl::Kernel* on_device() const {
    return std::get_if<runtime::opencl::Kernel>(&kernel_);
  }

 private:
  Stages stages_;
  std::variant<runtime::host::Kernel, runtime::opencl::Kernel> kernel_;
};

/// Prints, compiles and loads a program for a target, "opencl:1" for the second device of one. What
/// was compiled on this machine before comes from the cache. kernel::Refused if no compiler takes
/// the printed source.
Executable compile(const hl::Program& program, const machine::Machine& machine,
                   const ll::Config& config, const Target& target, const std::string& device = {});

}  // namespace mdh::driver
