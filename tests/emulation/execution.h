// One run of a module: its launches, and what their kernels ask for while they run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mdh/kernel/module.h"
#include "tests/emulation/copies.h"
#include "tests/emulation/library.h"
#include "tests/emulation/memory.h"
#include "tests/emulation/team.h"
#include "tests/emulation/watch.h"

namespace mdh::emulation {

/// How a run goes: results must not depend on it.
struct Manner {
  Order order = Order::forwards;
  uint64_t seed = 1;
  int poison = 0xa5;  // every byte of what nobody has written
  /// What a run begins with where memory is 0 before the first one, and what it leaves there for the
  /// next one; nothing before the first one.
  std::vector<char>* zeroed = nullptr;
};

/// Something is wrong with a kernel.
struct Finding {
  std::string text;
  std::string kernel;
  const void* code = nullptr;  // an address in the kernel; none if it is nowhere in particular
};

/// What happens on the calling thread, as long as the object lives. Kernels find it by current().
class Execution {
 public:
  Execution(const Library& library, const kernel::Module& module, const Manner& manner);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Runs the whole module on copies of the buffers, one per argument, outputs first. Outputs, and
  /// the workspace if there is one, are copied back. Nothing is copied back of a run that went
  /// wrong.
  std::optional<Finding> run(std::span<void* const> buffers, char* workspace);

  static Execution* current();

  // ---- what kernels ask for; `code` is where

  void access(const void* address, size_t bytes, Access access, bool is_aligned, const void* code);
  void atomic(const void* address, size_t bytes, const void* code);
  void barrier(int line, int fences) { team_.meet(line, fences); }
  void meet_members(int line);
  void* of_member(const void* mine, unsigned member, const void* code);
  uint64_t meet_in_warp(int line, const Exchange& exchange) {
    return team_.meet_in_warp(line, exchange);
  }
  void* local(const char* name, size_t bytes, size_t alignment, size_t element, int line,
              const void* code);
  void* shared(int64_t offset, const void* code);
  void* workspace(int64_t offset, const void* code);
  void copy(void* to, const void* from, size_t bytes, const void* code);
  void commit() { copies_.commit(); }
  void wait(int64_t left, const void* code);

  unsigned long item(unsigned axis) const { return of(item_position(), axis, 0); }
  unsigned long group(unsigned axis) const { return of(positions_[watch_.member()], axis, 0); }
  unsigned long items(unsigned axis) const { return of(launch_->items, axis, 1); }
  unsigned long groups(unsigned axis) const { return of(launch_->groups, axis, 1); }
  unsigned lane() const { return static_cast<unsigned>(watch_.item() % Watch::items_per_warp); }

 private:
  using Place = std::array<int64_t, 3>;
  using Pieces = std::vector<std::pair<int64_t, Block>>;  // by their offsets
  /// What the groups of a launch have, one after the other: those with the same place in their
  /// clusters.
  struct LocalMemory {
    Pieces dynamic;
    std::map<std::pair<std::string, int>, Block> arrays;  // by name and line
  };
  static unsigned long of(const Place& place, unsigned axis, unsigned long otherwise) {
    return axis < 3 ? static_cast<unsigned long>(place[axis]) : otherwise;
  }
  Place item_position() const;

  void add_buffers(std::span<void* const> buffers);
  void add_workspace(const char* given);
  void leave_zeroed(std::vector<char>& bytes) const;
  void give_back(std::span<void* const> buffers, char* workspace) const;
  void begin(const kernel::Launch& launch);
  void run(const kernel::Launch& launch, std::span<const int64_t> indices);
  void begin_member(const kernel::Launch& launch, int64_t member);
  void run_cluster(int64_t cluster, const std::vector<void*>& arguments);
  void place_groups(int64_t cluster);
  const Block* own_piece(const void* address, size_t member) const;
  void touch_of_another(const void* address, const void* code);
  std::optional<std::string> left_too_early() const;
  void fail(std::string text, const void* code);
  void outside(const void* address, Access access, const void* code);

  const Library& library_;
  const kernel::Module& module_;
  Manner manner_;
  Random random_;
  Arena arena_;
  Watch watch_;
  Copies copies_;
  Team team_;
  Execution* outer_;

  std::vector<void*> buffers_;  // in the arena, one per argument
  Pieces workspace_;
  std::map<std::pair<const kernel::Launch*, int64_t>, LocalMemory> local_memories_;
  std::vector<LocalMemory*> locals_;  // of the groups that run
  const kernel::Launch* launch_ = nullptr;
  Function function_;
  std::vector<Place> positions_;      // of the groups that run
  std::optional<size_t> read_since_;  // whose memory others have touched since all have met
  int64_t accesses_left_;
  std::optional<Finding> finding_;
};

}  // namespace mdh::emulation
