// Fibers: functions with stacks of their own that one thread runs by turns. The items of a group
// are fibers, which change at barriers.
#pragma once

#include <cstddef>
#include <functional>

namespace mdh::emulation {

/// A stack with a page below it that nobody may touch.
class Stack {
 public:
  Stack();
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  /// Private arrays of kernels lie here.
  static constexpr size_t bytes = size_t{1} << 20;
  static constexpr size_t guard_bytes = size_t{1} << 16;

  char* begin() const { return memory_ + guard_bytes; }
  char* end() const { return begin() + bytes; }
  bool contains(const void* address) const { return address >= begin() && address < end(); }
  bool guards(const void* address) const { return address >= memory_ && address < begin(); }

 private:
  char* memory_;
};

/// A function on a stack. It may be left for good at any place: nothing on its stack may need a
/// destructor.
class Fiber {
 public:
  /// The function begins with the first resume(). The first bytes that it will use are filled with
  /// `poison`, so that what it forgets to write is not what a function before it left there.
  void begin(const Stack& stack, int poison, std::function<void()> function);

  /// Runs it until it pauses or ends.
  void resume();

  /// Called on the fiber: goes back to where it was resumed.
  void pause();

  bool has_ended() const { return has_ended_; }

 private:
  static void enter(Fiber* fiber);

  std::function<void()> function_;
  void* own_ = nullptr;     // where the fiber goes on
  void* caller_ = nullptr;  // where the one that resumed it goes on
  bool has_ended_ = true;
};

}  // namespace mdh::emulation
