// Asynchronous copies: they may land as soon as they are issued, and need not before their item
// waits for them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/emulation/watch.h"

namespace mdh::emulation {

/// The copies of the groups that run together. Each item has batches of its own: a commit ends one.
class Copies {
 public:
  Copies(Arena& arena, Watch& watch) : arena_(arena), watch_(watch) {}

  /// Those of the watch.
  void begin_groups();

  // ---- of the current item of the watch: what is wrong, or nothing

  /// Checks both sides now and lets the bytes land as late as possible. Until then nobody may touch
  /// what is copied to, and nobody may write what is copied from.
  std::optional<std::string> issue(char* to, const char* from, size_t bytes);
  void commit();
  /// All batches land but the last `left` ones.
  std::optional<std::string> wait(int64_t left);

 private:
  struct Copy {
    char* to;
    const char* from;
    size_t bytes;
    int64_t batch;
  };
  struct OfItem {
    std::vector<Copy> copies;
    int64_t batches = 0;
  };

  void mark(const Copy& copy);
  void unmark(const Copy& copy);
  std::optional<std::string> land(const Copy& copy);

  Arena& arena_;
  Watch& watch_;
  std::vector<OfItem> items_;
  std::unordered_map<size_t, int> sources_;  // how many copies read a byte
};

}  // namespace mdh::emulation
