#include "tests/emulation/watch.h"

#include <algorithm>

#include "mdh/support/diagnostic.h"

namespace mdh::emulation {
namespace {

/// In place of an item: several items of a warp.
constexpr uint16_t several = 0x8000;

size_t warp_of(uint16_t who) {
  const auto number = static_cast<size_t>(who & ~several);
  return (who & several) != 0 ? number : number / Watch::items_per_warp;
}

const char* verb_of(Access access) { return access == Access::read ? "reads" : "writes"; }

}  // namespace

// ---- epochs

void Watch::begin_launch() {
  launch_begin_ = ++epoch_;
  groups_.clear();
  group_begins_.clear();
  released_.clear();
  atomic_writes_.clear();
}

void Watch::begin_groups(const std::vector<int64_t>& groups, int64_t items) {
  const int64_t warps = (items + items_per_warp - 1) / items_per_warp;
  const auto members = static_cast<int64_t>(groups.size());
  internal_check(members * warps * items_per_warp <= most_items + 1, "{} groups of {} items",
                 members, items);
  internal_check(epoch_ < UINT32_MAX - 2, "a run with too many barriers");
  running_ = groups;
  stride_ = warps * items_per_warp;
  group_begin_ = ++epoch_;
  others_since_ = launch_begin_;
  members_met_ = group_begin_;
  met_.assign(groups.size(), {group_begin_, group_begin_});
  warp_met_.assign(static_cast<size_t>(members * warps), group_begin_);
  groups_.push_back(groups.front());
  group_begins_.push_back(group_begin_);
}

void Watch::go_on_with(size_t member, int64_t item) {
  member_ = member;
  item_ = static_cast<uint16_t>(static_cast<int64_t>(member) * stride_ + item);
  warp_ = warp_of(item_);
}

void Watch::meet(size_t member, int fences) {
  ++epoch_;
  if ((fences & global_fence) != 0) met_[member].global = epoch_;
  if ((fences & local_fence) != 0) met_[member].local = epoch_;
}

void Watch::meet_members() {
  members_met_ = ++epoch_;
  met_.assign(met_.size(), {epoch_, epoch_});
}

void Watch::meet_in_warp(size_t member, size_t warp) {
  warp_met_[member * static_cast<size_t>(stride_ / items_per_warp) + warp] = ++epoch_;
}

size_t Watch::member_of(uint16_t who) const {
  return warp_of(who) * items_per_warp / static_cast<size_t>(stride_);
}

/// Two accesses of groups that run together, one of them by the current item, now.
bool Watch::is_ordered(const Cell& cell, uint32_t epoch, uint16_t who) const {
  if (who == item_ || epoch < members_met_) return true;
  if (member_of(who) != member_) return false;
  const Met& met = met_[member_];
  if (epoch < ((cell.flags & Cell::is_local) != 0 ? met.local : met.global)) return true;
  return warp_of(who) == warp_ && epoch < warp_met_[warp_];
}

// ---- messages

std::string Watch::name_of(uint16_t who) const {
  const auto first = static_cast<int64_t>(member_of(who)) * stride_;
  if ((who & several) == 0) return fmt::format("item {}", who - first);
  return fmt::format("one of several items of warp {}", (who & ~several) - first / items_per_warp);
}

std::string Watch::raced(size_t place, Access mine, const char* theirs, uint32_t epoch,
                         uint16_t who) const {
  const std::string what = arena_.describe(place);
  if (epoch >= group_begin_ && member_of(who) != member_) {
    return fmt::format("race in a cluster: item {} of group {} {} {}, which {} of group {} {}",
                       item(), group(), verb_of(mine), what, name_of(who), running_[member_of(who)],
                       theirs);
  }
  if (epoch >= group_begin_) {
    return fmt::format("race: item {} of group {} {} {}, which {} {} since the last barrier",
                       item(), group(), verb_of(mine), what, name_of(who), theirs);
  }
  const auto after = std::upper_bound(group_begins_.begin(), group_begins_.end(), epoch);
  const int64_t other = groups_[static_cast<size_t>(after - group_begins_.begin()) - 1];
  return fmt::format("race between groups: item {} of group {} {} {}, which group {} {}", item(),
                     group(), verb_of(mine), what, other, theirs);
}

std::optional<std::string> Watch::unusable(const Cell& cell, size_t place, Access access) const {
  const auto told = [&](const char* why) {
    return fmt::format("{}: item {} of group {} {} {}", why, item(), group(), verb_of(access),
                       arena_.describe(place));
  };
  if ((cell.flags & Cell::is_usable) == 0) return told("out of bounds");
  if ((cell.flags & Cell::is_in_flight) != 0) {
    return told("in flight (an asynchronous copy to there was not waited for)");
  }
  if (access == Access::write && (cell.flags & Cell::is_source) != 0) {
    return told("in flight (an asynchronous copy from there was not waited for)");
  }
  if (access == Access::write && (cell.flags & Cell::is_constant) != 0) {
    return told("an input is written");
  }
  if (access == Access::read && (cell.flags & Cell::is_written) == 0) {
    return told("never written");
  }
  return std::nullopt;
}

// ---- accesses

std::optional<std::string> Watch::read(Cell& cell, size_t place) {
  constexpr int good = Cell::is_usable | Cell::is_written;
  if ((cell.flags & (good | Cell::is_in_flight)) != good) {
    return unusable(cell, place, Access::read);
  }
  if (cell.write_epoch >= group_begin_ ? !is_ordered(cell, cell.write_epoch, cell.writer)
                                       : is_foreign(cell.write_epoch)) {
    return raced(place, Access::read, "has written", cell.write_epoch, cell.writer);
  }
  remember_read(cell);
  return std::nullopt;
}

/// A read by another group that may happen at the same time as what this one does.
bool Watch::is_of_another_member(const Cell& cell) const {
  return cell.second_epoch >= members_met_ && member_of(cell.second) != member_;
}

void Watch::remember_read(Cell& cell) const {
  if (cell.read_epoch == epoch_ && cell.reader == item_) return;
  uint16_t who = item_;
  if (cell.read_epoch < group_begin_) {
    if (cell.read_epoch > cell.foreign_epoch) cell.foreign_epoch = cell.read_epoch;
    cell.second_epoch = 0;
  } else if (warp_of(cell.reader) != warp_) {
    if (member_of(cell.reader) != member_ || !is_of_another_member(cell)) {
      cell.second_epoch = cell.read_epoch;
      cell.second = cell.reader;
    }
  } else if (!is_ordered(cell, cell.read_epoch, cell.reader)) {
    who = static_cast<uint16_t>(several | warp_);
  }
  cell.read_epoch = epoch_;
  cell.reader = who;
}

std::optional<std::string> Watch::write(Cell& cell, size_t place) {
  constexpr int bad = Cell::is_in_flight | Cell::is_source | Cell::is_constant;
  if ((cell.flags & (Cell::is_usable | bad)) != Cell::is_usable) {
    return unusable(cell, place, Access::write);
  }
  const auto clashes = [&](uint32_t epoch, uint16_t who) {
    return epoch >= group_begin_ ? !is_ordered(cell, epoch, who) : is_foreign(epoch);
  };
  if (clashes(cell.write_epoch, cell.writer)) {
    return raced(place, Access::write, "has written", cell.write_epoch, cell.writer);
  }
  if (clashes(cell.read_epoch, cell.reader)) {
    return raced(place, Access::write, "has read", cell.read_epoch, cell.reader);
  }
  if (clashes(cell.second_epoch, cell.second)) {
    return raced(place, Access::write, "has read", cell.second_epoch, cell.second);
  }
  if (is_foreign(cell.foreign_epoch)) {
    return raced(place, Access::write, "has read", cell.foreign_epoch, 0);
  }
  cell.write_epoch = epoch_;
  cell.writer = item_;
  cell.flags = static_cast<uint16_t>(cell.flags | Cell::is_written);
  return std::nullopt;
}

std::optional<std::string> Watch::touch(const char* address, size_t bytes, Access access) {
  const size_t place = arena_.place_of(address);
  for (size_t n = 0; n < bytes; ++n) {
    if (!arena_.contains(address + n)) return "out of bounds: the last byte of all memory";
    Cell& cell = *arena_.cell(place + n);
    auto wrong = access == Access::read ? read(cell, place + n) : write(cell, place + n);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> Watch::touch_atomically(const char* address, size_t bytes) {
  const size_t place = arena_.place_of(address);
  for (size_t n = 0; n < bytes; ++n) {
    Cell& cell = *arena_.cell(place + n);
    if (auto wrong = unusable(cell, place + n, Access::read)) return wrong;
    if (auto wrong = unusable(cell, place + n, Access::write)) return wrong;
    const auto last = atomic_writes_.find(place + n);
    const bool after_atomic = last != atomic_writes_.end() && last->second == cell.write_epoch;
    if (after_atomic) cell.writer = item_, cell.write_epoch = epoch_;
    if (auto wrong = write(cell, place + n)) return wrong;
    atomic_writes_[place + n] = epoch_;
  }
  uint32_t& released = released_[place];
  others_since_ = std::max(others_since_, released);
  released = ++epoch_;
  return std::nullopt;
}

}  // namespace mdh::emulation
