// The C compilers of this machine and how they are called.
#pragma once

#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/cache.h"

namespace mdh::runtime::host {

struct Compiler {
  std::string path;
  std::vector<std::string> flags;  // besides those that every kernel needs
};

/// Those named by MDH_CC, separated by colons or blanks, all of which must exist; else those of cc,
/// gcc and clang on PATH that are different programs. "Missing" with a hint if there is none.
std::vector<std::string> find_compilers();

/// The first of find_compilers(), or the one that a configuration names: `gcc` and `clang` are the
/// first ones of that family, `gcc-13` and the like are programs on PATH. Anything else must be
/// named by MDH_CC: configurations may come from strangers. With -O3 and nothing else.
Compiler find_compiler(const std::string& name = {});

/// The compiler that a module asks for, with the instruction set that is proven to run here and
/// the module's own flags.
Compiler compiler_for(const kernel::Module& module, const Cache& cache);

/// One of find_compilers(), with the instruction set that is proven to run here.
Compiler compiler_at(const std::string& path, const Cache& cache);

/// What a compiler says about itself.
struct CompilerIdentity {
  std::string family;       // "gcc", "clang", or nothing
  std::string version;      // one line, for people
  std::string fingerprint;  // changes with everything that may change what it compiles
};
CompilerIdentity identify(const std::string& path);

/// The only place where the command line for a kernel is put together.
std::vector<std::string> command_line(const Compiler& compiler, bool contract,
                                      const std::string& source, const std::string& object);

}  // namespace mdh::runtime::host
