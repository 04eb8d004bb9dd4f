// What becomes of modules that are built: files that another process can load, or the reason why
// there are none.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/cache.h"
#include "mdh/support/files.h"

namespace mdh::runtime {

/// Modules that are built as one unit, which is cheaper than one each.
using ModuleGroups = std::vector<std::vector<kernel::Module>>;

/// How much building may cost.
struct BuildLimits {
  int at_once = 0;       // compilers that run at the same time; 0: one per core
  double seconds = 300;  // for one compiler
  Cache cache = Cache::of_user();
  bool renew = false;  // also compile what the cache has

  int processes() const {
    return at_once > 0 ? at_once
                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
};

/// A built unit. The file lives as long as a copy of this does, also if it is a copy of what the
/// cache has: there, another process may remove it.
struct Object {
  std::string path;
  bool from_cache = false;
  bool is_source = false;  // the driver compiles it where it is loaded, and may refuse it there
  std::shared_ptr<const TemporaryDirectory> folder = {};
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

}  // namespace mdh::runtime
