// What becomes of modules that are built: files that another process can load, or the reason why
// there are none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/cache.h"
#include "mdh/runtime/process.h"
#include "mdh/support/files.h"

namespace mdh::runtime {

/// What a built function needs of each item and group, as far as the driver tells. OpenCL tells
/// nothing of registers.
struct Resources {
  std::string function;
  std::optional<int64_t> registers;        // of an item
  std::optional<int64_t> spilled_bytes;    // of an item; a driver counts all of its stack
  std::optional<int64_t> local_bytes;      // of a group
  std::optional<int64_t> items_per_group;  // at most, or those that it is launched with
  std::optional<int64_t> stack_bytes;      // of an item: arrays, and what is spilled
};

/// Modules that are built as one unit, which is cheaper than one each.
using ModuleGroups = std::vector<std::vector<kernel::Module>>;

/// How much building may cost.
struct BuildLimits {
  int at_once = 0;       // compilers that run at the same time; 0: one per core
  double seconds = 300;  // for one compiler
  Cache cache = Cache::of_user();
  bool renew = false;  // also compile what the cache has
  /// Compilers that can are to tell what functions need. What was kept without that is compiled again.
  bool tells_needs = false;
  bool is_background = false;  // as in RunLimits, and these, too
  std::shared_ptr<Slots> slots = nullptr;
  std::function<bool()> is_cancelled = nullptr;

  int processes() const {
    return at_once > 0 ? at_once
                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }

  RunLimits of_compilers() const {
    return {.at_once = processes(),
            .seconds = seconds,
            .is_background = is_background,
            .slots = slots,
            .is_cancelled = is_cancelled};
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
  BuildFailure failure;               // meaningful without an object
  std::vector<Resources> needs = {};  // of each function that can be launched, if that was told
};

/// Registers and arrays that threads keep in memory: of the function that keeps the most there; 0
/// where nothing was told.
inline int64_t stack_bytes_of(const std::vector<Resources>& needs) {
  int64_t most = 0;
  for (const Resources& r : needs) {
    most = std::max({most, r.stack_bytes.value_or(0), r.spilled_bytes.value_or(0)});
  }
  return most;
}

}  // namespace mdh::runtime
