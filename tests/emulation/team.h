// The items of a group, or of the groups of a cluster, as fibers that wait for one another.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mdh/support/random.h"
#include "tests/emulation/fiber.h"
#include "tests/emulation/watch.h"

namespace mdh::emulation {

/// In which order the items of a group run, and the groups of a launch.
enum class Order { forwards, backwards, shuffled };

std::vector<int64_t> ordered(int64_t count, Order order, Random& random);

/// What an item wants of the other items of its warp.
struct Exchange {
  uint32_t mask = 0;   // the lanes that take part
  uint64_t value = 0;  // what it gives
  int lane = -1;       // whose value it takes; negative: none, items just meet
};

/// Runs groups of items, those of a cluster together. What goes wrong ends the run at once.
class Team {
 public:
  Team(Watch& watch, Order order, uint64_t seed) : watch_(watch), order_(order), random_(seed) {}

  /// Every item of so many groups calls the function. What is wrong, or nothing.
  std::optional<std::string> run(size_t groups, int64_t items, int poison,
                                 const std::function<void()>& function);

  // ---- called by the current item

  /// Waits for all items of the group at this line.
  void meet(int line, int fences);
  /// Waits for all items of all groups of the cluster at this line.
  void meet_members(int line);
  /// Waits for items of the warp, and takes a value of one of them.
  uint64_t meet_in_warp(int line, const Exchange& exchange);
  /// Ends the run.
  void fail(std::string why);

  const Stack& stack() const { return *stacks_[current_]; }
  /// Nothing if the address is on no stack.
  std::optional<size_t> owner_of(const void* address) const;
  /// An address on the guard of the current item's stack.
  bool overflows(const void* address) const { return stack().guards(address); }
  bool is_inside() const { return is_inside_; }

 private:
  enum class Waits { not_at_all, for_group, for_warp, for_members };
  struct Item {
    Fiber fiber;
    Waits waits = Waits::not_at_all;
    int line = 0;
    int fences = 0;
    Exchange exchange;
    uint64_t taken = 0;
  };

  void begin(size_t groups, int64_t items, int poison, const std::function<void()>& function);
  void go_on();
  void pause(Waits waits, int line);
  bool release_warps();
  bool release_warp(size_t first, size_t last);
  bool release_groups();
  bool release_members();
  bool wait_alike(size_t first, size_t last, Waits what) const;
  size_t group_of(size_t item) const { return item / size_; }
  std::string name_of(size_t item) const;
  std::string state_of(size_t item) const;
  std::string divergence() const;

  Watch& watch_;
  Order order_;
  Random random_;
  std::deque<Item> items_;  // of all groups, one group after the other
  size_t size_ = 1;         // of a group
  std::vector<std::unique_ptr<Stack>> stacks_;
  size_t current_ = 0;
  bool is_inside_ = false;
  std::optional<std::string> wrong_;
};

}  // namespace mdh::emulation
