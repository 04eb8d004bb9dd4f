// Random numbers that are the same everywhere: the standard's distributions differ between
// libraries, so we use none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mdh {

/// splitmix64; a value, passed by reference, seeded explicitly.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [low, high], both included. The slight bias of the remainder does not matter for
  /// tests and search.
  int64_t between(int64_t low, int64_t high) {
    // Unsigned throughout: the distance of two numbers may need all 64 bits, and then their count
    // is 0.
    const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) +
                                (count == 0 ? next() : next() % count));
  }

  bool chance(int percent) { return between(0, 99) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(between(0, static_cast<int64_t>(from.size()) - 1))];
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<size_t>(between(0, static_cast<int64_t>(i) - 1))]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace mdh
