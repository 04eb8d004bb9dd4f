#include "tests/emulation/team.h"

#include <algorithm>
#include <numeric>

#include "mdh/support/diagnostic.h"
#include "tests/emulation/crash.h"

namespace mdh::emulation {

std::vector<int64_t> ordered(int64_t count, Order order, Random& random) {
  std::vector<int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  if (order == Order::backwards) std::reverse(all.begin(), all.end());
  if (order == Order::shuffled) random.shuffle(all);
  return all;
}

void Team::begin(size_t groups, int64_t items, int poison, const std::function<void()>& function) {
  size_ = static_cast<size_t>(items);
  const size_t count = groups * size_;
  while (stacks_.size() < count) stacks_.push_back(std::make_unique<Stack>());
  items_.clear();
  for (size_t n = 0; n < count; ++n) {
    items_.emplace_back();
    items_.back().fiber.begin(*stacks_[n], poison, function);
  }
  wrong_.reset();
}

std::optional<std::string> Team::run(size_t groups, int64_t items, int poison,
                                     const std::function<void()>& function) {
  begin(groups, items, poison, function);
  const std::vector<int64_t> turns = ordered(std::ssize(items_), order_, random_);
  for (;;) {
    for (const int64_t turn : turns) {
      Item& item = items_[static_cast<size_t>(turn)];
      if (item.fiber.has_ended() || item.waits != Waits::not_at_all) continue;
      current_ = static_cast<size_t>(turn);
      watch_.go_on_with(group_of(current_), turn % items);
      go_on();
      if (wrong_) return wrong_;
    }
    if (release_warps()) continue;
    if (wrong_) return wrong_;
    if (release_groups() || release_members()) continue;
    const bool all_ended = std::all_of(items_.begin(), items_.end(),
                                       [](const Item& item) { return item.fiber.has_ended(); });
    return all_ended ? std::nullopt : std::optional(divergence());
  }
}

void Team::go_on() {
  is_inside_ = true;
  const void* fault = nullptr;
  const bool crashed = !resumed_without_crash(items_[current_].fiber, &fault);
  is_inside_ = false;
  if (!crashed) return;
  wrong_ = overflows(fault)
               ? fmt::format("stack overflow: {} has more than {} bytes of private memory",
                             name_of(current_), Stack::bytes)
               : fmt::format("crash: {} touches {}", name_of(current_), fault);
}

// ---- called by items

void Team::pause(Waits waits, int line) {
  Item& item = items_[current_];
  item.waits = waits;
  item.line = line;
  item.fiber.pause();
}

void Team::meet(int line, int fences) {
  items_[current_].fences = fences;
  pause(Waits::for_group, line);
}

void Team::meet_members(int line) { pause(Waits::for_members, line); }

uint64_t Team::meet_in_warp(int line, const Exchange& exchange) {
  Item& item = items_[current_];
  item.exchange = exchange;
  pause(Waits::for_warp, line);
  return item.taken;
}

void Team::fail(std::string why) {
  wrong_ = std::move(why);
  items_[current_].fiber.pause();  // for good
}

std::optional<size_t> Team::owner_of(const void* address) const {
  for (size_t n = 0; n < stacks_.size(); ++n) {
    if (stacks_[n]->contains(address)) return n;
  }
  return std::nullopt;
}

// ---- who waits for whom

/// Not one of the items is anywhere else.
bool Team::wait_alike(size_t first, size_t last, Waits what) const {
  for (size_t n = first; n < last; ++n) {
    const Item& item = items_[n];
    if (item.fiber.has_ended() || item.waits != what || item.line != items_[first].line) {
      return false;
    }
  }
  return true;
}

/// Whether some group goes on.
bool Team::release_groups() {
  bool some = false;
  for (size_t first = 0; first < items_.size(); first += size_) {
    if (!wait_alike(first, first + size_, Waits::for_group)) continue;
    watch_.meet(group_of(first), items_[first].fences);
    for (size_t n = first; n < first + size_; ++n) items_[n].waits = Waits::not_at_all;
    some = true;
  }
  return some;
}

bool Team::release_members() {
  if (!wait_alike(0, items_.size(), Waits::for_members)) return false;
  watch_.meet_members();
  for (Item& item : items_) item.waits = Waits::not_at_all;
  return true;
}

/// Whether some warp goes on.
bool Team::release_warps() {
  bool some = false;
  constexpr size_t width = Watch::items_per_warp;
  for (size_t group = 0; group < items_.size(); group += size_) {
    for (size_t first = group; first < group + size_; first += width) {
      some = release_warp(first, std::min(first + width, group + size_)) || some;
    }
  }
  return some;
}

/// Those who wait go on if all lanes that they name are there.
bool Team::release_warp(size_t first, size_t last) {
  const auto waiting = std::find_if(items_.begin() + static_cast<std::ptrdiff_t>(first),
                                    items_.begin() + static_cast<std::ptrdiff_t>(last),
                                    [](const Item& i) { return i.waits == Waits::for_warp; });
  if (waiting == items_.begin() + static_cast<std::ptrdiff_t>(last)) return false;
  std::vector<Item*> meeting;
  for (size_t n = first; n < last; ++n) {
    if ((waiting->exchange.mask >> (n - first) & 1U) == 0) continue;
    Item& item = items_[n];
    const bool is_there = !item.fiber.has_ended() && item.waits == Waits::for_warp &&
                          item.line == waiting->line &&
                          item.exchange.mask == waiting->exchange.mask;
    if (!is_there) return false;
    meeting.push_back(&item);
  }
  for (Item* item : meeting) {
    const int lane = item->exchange.lane;
    if (lane < 0) continue;
    const size_t from = first + static_cast<size_t>(lane);
    if (from >= last || (item->exchange.mask >> lane & 1U) == 0) {
      wrong_ = fmt::format(
          "shuffle: at line {} an item of group {} takes a value of lane {}, "
          "which does not take part",
          item->line, watch_.group_of(group_of(first)), lane);
      return false;
    }
    item->taken = items_[from].exchange.value;
  }
  if (waiting->exchange.lane < 0) {
    watch_.meet_in_warp(group_of(first), first % size_ / Watch::items_per_warp);
  }
  for (Item* item : meeting) item->waits = Waits::not_at_all;
  return !meeting.empty();
}

std::string Team::name_of(size_t n) const {
  return fmt::format("item {} of group {}", n % size_, watch_.group_of(group_of(n)));
}

std::string Team::state_of(size_t n) const {
  const Item& item = items_[n];
  if (item.fiber.has_ended()) return fmt::format("item {} has ended", n % size_);
  const char* others = item.waits == Waits::for_warp    ? "warp"
                       : item.waits == Waits::for_group ? "group"
                                                        : "cluster";
  return fmt::format("item {} waits for its {} at line {}", n % size_, others, item.line);
}

/// Two items that are not at the same place.
std::string Team::divergence() const {
  const auto place = [&](size_t n) {
    const Item& item = items_[n];
    return std::tuple(item.fiber.has_ended(), item.waits, item.line);
  };
  size_t other = 0;
  while (other + 1 < items_.size() && place(other) == place(0)) ++other;
  const int64_t group = watch_.group_of(0), theirs = watch_.group_of(group_of(other));
  const std::string where = theirs == group ? "" : fmt::format(" of group {}", theirs);
  return fmt::format("divergent barrier: in group {} {} while {}{}", group, state_of(0),
                     state_of(other), where);
}

}  // namespace mdh::emulation
