// From C sources to shared objects on disk: several at once, within a time limit, and not twice.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mdh/runtime/host/compiler.h"
#include "mdh/support/files.h"

namespace mdh::runtime::host {

/// What is compiled in one go.
struct Unit {
  std::string source;
  bool contract = true;
  Compiler compiler;
};

/// Modules as one translation unit, which is much cheaper than one each. One that forbids
/// contraction forbids it for all.
Unit unit_of(const std::vector<kernel::Module>& modules, const Compiler& compiler);

/// A compiled unit. The file lives as long as a copy of this does, also if it is a copy of what the
/// cache has: there, another process may remove it.
struct Object {
  std::string path;
  bool from_cache = false;
  std::shared_ptr<const TemporaryDirectory> folder;
};

/// Why there is no object.
struct BuildFailure {
  enum class Kind { refused, timed_out, not_started };
  Kind kind = Kind::refused;
  std::string text;  // what the compiler printed, or the cause in words
};

struct Built {
  std::optional<Object> object;
  BuildFailure failure;  // meaningful without an object
};

struct BuildOptions {
  int at_once = 0;       // compilers that run at the same time; 0: one per core
  double seconds = 300;  // for one compiler
  Cache cache = Cache::of_user();
  bool renew = false;  // also compile what the cache has
};

/// One result per unit, in order.
std::vector<Built> build_units(const std::vector<Unit>& units, const BuildOptions& options);

/// One result per module of each group. A group is one unit per compiler and flags that its modules
/// ask for; where there is no such compiler, they fail. The modules of a unit that fails are
/// compiled once more, one by one, so that only those are lost that fail by themselves.
std::vector<std::vector<Built>> build_groups(const std::vector<std::vector<kernel::Module>>& groups,
                                             const BuildOptions& options);

}  // namespace mdh::runtime::host
