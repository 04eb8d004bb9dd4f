// A computation, compiled: callable on the user's memory.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mdh/driver/stages.h"
#include "mdh/runtime/device.h"

namespace mdh::driver {

/// Any number of threads may call an executable, and copies of it, at the same time.
class Executable {
 public:
  Executable(Stages stages, std::shared_ptr<const runtime::Device> device,
             std::shared_ptr<const runtime::LoadedKernel> kernel);

  /// One pointer per buffer, outputs first, in declaration order; row-major, of the extents in
  /// module().arguments. A device has its own number of cores. Outputs must not overlap other
  /// buffers (overlap.h).
  void operator()(std::span<void* const> buffers, int threads) const;

  const Stages& stages() const { return stages_; }
  const kernel::Module& module() const { return stages_.module; }

  /// Where it runs, and what runs there.
  const runtime::Device& device() const { return *device_; }
  const runtime::LoadedKernel& kernel() const { return *kernel_; }

  /// Another program on the same device.
  Executable beside(Stages stages, std::shared_ptr<const runtime::LoadedKernel> kernel) const;

 private:
  Stages stages_;
  std::shared_ptr<const runtime::Device> device_;
  std::shared_ptr<const runtime::LoadedKernel> kernel_;
};

/// Prints, compiles and loads a program for a target, "opencl:1" for the second device of one. What
/// was compiled on this machine before comes from the cache. kernel::Refused if no compiler takes
/// the printed source.
Executable compile(const hl::Program& program, const machine::Machine& machine,
                   const ll::Config& config, const Target& target, const std::string& device = {});

}  // namespace mdh::driver
