// Where random cases come from: a seed, or a list of numbers that RapidCheck shrinks.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "mdh/support/random.h"

namespace mdh::test {

/// A case is made of choices. In a list smaller numbers are simpler choices, and where it ends all
/// of them are the simplest: the least number, the first of several, "no". A shorter list of
/// smaller numbers is a simpler case of the same kind.
class Choices {
 public:
  explicit Choices(uint64_t seed) : random_(seed) {}
  explicit Choices(std::vector<uint32_t> list) : list_(std::move(list)) {}

  uint64_t next() {
    if (random_) return random_->next();
    return position_ < list_.size() ? list_[position_++] : 0;
  }

  /// In [low, high], both included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }

  bool chance(int percent) { return between(0, 99) >= 100 - percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(between(0, static_cast<int64_t>(from.size()) - 1))];
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = 1; i < items.size(); ++i) {
      std::swap(items[i], items[i - static_cast<size_t>(between(0, static_cast<int64_t>(i)))]);
    }
  }

 private:
  std::optional<Random> random_;
  std::vector<uint32_t> list_;
  size_t position_ = 0;
};

}  // namespace mdh::test
