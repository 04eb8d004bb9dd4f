// C sources compiled by the system's compiler and loaded into this process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mdh/kernel/module.h"

namespace mdh::runtime::host {

struct Compiler {
  std::string path;
  std::vector<std::string> flags;  // besides those that every kernel needs
};

/// The compiler named by MDH_CC, else the first of cc, gcc, clang on PATH; "missing" with a hint if
/// there is none.
Compiler find_compiler();

/// A loaded kernel. Copies share the library it lives in, which is unloaded with the last of them.
class Kernel {
 public:
  /// buffers: one pointer per argument of the module, outputs first.
  void operator()(std::span<void* const> buffers, int threads) const;

  const kernel::Module& module() const { return module_; }

 private:
  friend std::vector<Kernel> load(std::span<const kernel::Module>, const Compiler&);
  using Entry = void (*)(void**, char*, long);

  kernel::Module module_;
  std::shared_ptr<void> library_;
  std::vector<Entry> entries_;
  std::shared_ptr<char[]> workspace_;
};

/// Compiles all modules as one translation unit, which is much cheaper than one each, and loads it.
/// A source that does not compile is a bug of mdh: the error shows the compiler's output.
std::vector<Kernel> load(std::span<const kernel::Module> modules, const Compiler& compiler);

}  // namespace mdh::runtime::host
