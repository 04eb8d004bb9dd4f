// A computation, compiled: callable on the user's memory.
#pragma once

#include <span>
#include <string>

#include "mdh/driver/stages.h"
#include "mdh/runtime/host/library.h"
#include "mdh/runtime/timer.h"

namespace mdh::driver {

/// Where a configuration came from; said on stderr and in reports.
struct ChosenConfig {
  ll::Config config;
  std::string source;  // "file NAME", "default"
};

/// The given configuration, or the default one for the program on the machine.
ChosenConfig choose_config(const hl::Program& program, const machine::Machine& machine,
                           const ll::Config* given, const std::string& file, int cores);

class Executable {
 public:
  Executable(Stages stages, runtime::host::Kernel kernel);

  /// One pointer per buffer, outputs first, in declaration order; row-major, of the extents in
  /// module().arguments.
  void operator()(std::span<void* const> buffers, int threads) const { kernel_(buffers, threads); }

  const Stages& stages() const { return stages_; }
  const kernel::Module& module() const { return kernel_.module(); }

  /// The compiled file, for a worker.
  const std::string& library() const { return kernel_.path(); }

 private:
  Stages stages_;
  runtime::host::Kernel kernel_;
};

/// Prints, compiles and loads a program for a target that is compiled on this machine. What was
/// compiled before comes from the cache.
Executable compile(const hl::Program& program, const machine::Machine& machine,
                   const ll::Config& config, const Target& target);

}  // namespace mdh::driver
