// Compiled modules, loaded into this process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/host/build.h"
#include "mdh/runtime/pool.h"

namespace mdh::runtime::host {

/// A loaded kernel. Copies share the library it lives in, which is unloaded with the last of them.
///
/// Any number of threads may call a kernel, and copies of it, at the same time: each call has a
/// workspace of its own. Workspaces are kept for later calls; there are as many as there were calls
/// at the same time.
class Kernel {
 public:
  /// Loads a compiled module. An object that cannot be loaded is missing something, one without the
  /// module's functions is a bug.
  Kernel(const kernel::Module& module, const Object& object);

  /// buffers: one pointer per argument of the module, outputs first. Numbers are those of the usual
  /// mode (float_mode.h), whatever the caller has set.
  void operator()(std::span<void* const> buffers, int threads) const;

  /// The same in a workspace of the caller's: as many bytes as module().workspace() says, aligned
  /// to cache lines.
  void operator()(std::span<void* const> buffers, char* workspace, int threads) const;

  const kernel::Module& module() const { return module_; }

  /// How many workspaces this kernel and its copies have.
  size_t workspaces() const { return workspaces_->made(); }

  /// The file it was loaded from.
  const std::string& path() const { return object_.path; }

  /// What the user should know about how it was compiled; mostly nothing.
  const std::string& remark() const { return remark_; }

 private:
  friend Kernel load(const kernel::Module& module, const BuildLimits& options);
  using Entry = void (*)(void**, char*, long);
  using Workspace = std::shared_ptr<char[]>;

  kernel::Module module_;
  Object object_;
  std::shared_ptr<void> library_;
  std::vector<Entry> entries_;
  std::shared_ptr<Pool<Workspace>> workspaces_;
  std::string remark_;
};

/// Compiles all modules as one translation unit with this compiler and loads it. A source that does
/// not compile is a bug of mdh (kernel::Refused): the error shows the compiler's output.
std::vector<Kernel> load(std::span<const kernel::Module> modules, const Compiler& compiler,
                         const BuildLimits& options = {});

/// The same with another compiler of this machine if this one refuses the source.
std::vector<Kernel> load_by_any(std::span<const kernel::Module> modules, const Compiler& first,
                                const BuildLimits& options = {});

/// Compiles a module with the compiler and flags that it asks for, and loads it. Flags that the
/// compiler refuses are the user's mistake. A source that it refuses is given to the other
/// compilers of this machine, and the kernel's remark says so; kernel::Refused if none of them
/// takes it.
Kernel load(const kernel::Module& module, const BuildLimits& options = {});

}  // namespace mdh::runtime::host
