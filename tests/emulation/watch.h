// Who may touch which byte when: finds races, reads of what nobody wrote, and accesses out of
// bounds.
//
// Items run one after the other, so that nothing ever really happens at the same time. What could
// happen at the same time is told by epochs. The epoch is a number that grows with every barrier,
// at the beginning of every group and of every launch. Two accesses of one group are ordered if
// they are of one item, or if a barrier of both lies between them: the epoch of the first is then
// less than that of the barrier. Accesses of two groups of one launch are never ordered, unless
// both used the same atomic variable in between. The groups of a cluster run together: accesses of
// two of them are ordered if all have met in between.
//
// For each byte a cell (memory.h) remembers the last write, the last read, one more read by another
// warp or another group of the cluster, and one more by another cluster. That is enough to find some
// race wherever there are several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/emulation/memory.h"

namespace mdh::emulation {

enum class Access { read, write };

/// Which memory a barrier orders, as bits.
enum Fence : int { local_fence = 1, global_fence = 2 };

class Watch {
 public:
  explicit Watch(Arena& arena) : arena_(arena) {}

  static constexpr int items_per_warp = 32;
  static constexpr int64_t most_items = 0x7fff;

  // ---- what happens around accesses

  void begin_launch();
  /// Those of a cluster, or one: they run together, and have so many items each.
  void begin_groups(const std::vector<int64_t>& groups, int64_t items);
  void go_on_with(size_t member, int64_t item);

  /// All items of a group have met, or those of all groups that run together.
  void meet(size_t member, int fences);
  void meet_members();
  /// All items of a warp have met; in lockstep with nobody else.
  void meet_in_warp(size_t member, size_t warp);

  // ---- accesses of the current item: what is wrong, or nothing

  std::optional<std::string> touch(const char* address, size_t bytes, Access access);

  /// An atomic operation: never a race with another one. What other groups did before theirs on the
  /// same address is done.
  std::optional<std::string> touch_atomically(const char* address, size_t bytes);

  int64_t item() const { return item_ - static_cast<int64_t>(member_) * stride_; }
  size_t member() const { return member_; }
  size_t number() const { return item_; }  // among the items of all groups that run together
  size_t numbers() const { return warp_met_.size() * items_per_warp; }
  int64_t group() const { return running_[member_]; }
  int64_t group_of(size_t member) const { return running_[member]; }
  bool have_met() const { return members_met_ > group_begin_; }
  const Arena& arena() const { return arena_; }

 private:
  struct Met {
    uint32_t global, local;
  };

  size_t member_of(uint16_t who) const;
  std::string name_of(uint16_t who) const;
  bool is_foreign(uint32_t epoch) const { return epoch >= others_since_ && epoch < group_begin_; }
  bool is_ordered(const Cell& cell, uint32_t epoch, uint16_t who) const;
  std::string raced(size_t place, Access mine, const char* theirs, uint32_t epoch,
                    uint16_t who) const;
  std::optional<std::string> read(Cell& cell, size_t place);
  std::optional<std::string> write(Cell& cell, size_t place);
  std::optional<std::string> unusable(const Cell& cell, size_t place, Access access) const;
  void remember_read(Cell& cell) const;
  bool is_of_another_member(const Cell& cell) const;

  Arena& arena_;
  uint32_t epoch_ = 0;
  uint32_t launch_begin_ = 0;
  uint32_t others_since_ = 0;  // accesses of other groups from this epoch on are not ordered
  uint32_t group_begin_ = 0;
  // Of the groups that run together. Items of all of them have numbers, and so have warps.
  std::vector<int64_t> running_ = {0};
  int64_t stride_ = 0;  // between the items of one and those of the next one
  uint16_t item_ = 0;
  size_t warp_ = 0;
  size_t member_ = 0;  // the one of the current item
  uint32_t members_met_ = 0;
  std::vector<Met> met_;            // of each group
  std::vector<uint32_t> warp_met_;  // at least that of the group, for each warp
  std::vector<int64_t> groups_;     // that have run, with their first epochs
  std::vector<uint32_t> group_begins_;
  std::unordered_map<size_t, uint32_t> released_;  // by place of atomic variables
  std::unordered_map<size_t, uint32_t> atomic_writes_;
};

}  // namespace mdh::emulation
