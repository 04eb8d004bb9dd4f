// Outputs in memory against what they may be.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "mdh/driver/verify/yardstick.h"

namespace mdh::driver {

struct Comparison {
  bool right = true;
  double max_error = 0;   // the largest distance from the middle of an interval
  double bound = 0;       // what was allowed there
  std::string complaint;  // the first wrong element
};

/// Outputs in declaration order. Zeros are equal whatever their sign. Threads may compare different
/// parts at the same time.
class Comparer {
 public:
  /// What may be at a point that seems wrong, by a second, slower way; nothing if there is none.
  using SecondOpinion = std::function<std::vector<scalar::Enclosure>(int64_t point)>;

  Comparer(const hl::Program& program, const Points& points, std::span<void* const> outputs,
           SecondOpinion second = {});
  ~Comparer();

  /// Points from `first` on, and what every leaf of them may be.
  void take(int64_t first, std::span<const scalar::Enclosure> leaves);

  /// Of several wrong elements the one that comes first.
  const Comparison& result() const { return result_; }

 private:
  struct Place;
  Comparison compared(int64_t first, std::span<const scalar::Enclosure> leaves) const;
  void compare_row(const std::vector<int64_t>& point, std::span<const scalar::Enclosure> row,
                   Comparison& result) const;

  const Points& points_;
  std::vector<int64_t> counts_;
  std::vector<Place> places_;
  size_t width_;
  SecondOpinion second_;
  std::mutex mutex_;
  Comparison result_;
  int64_t wrong_from_;  // behind all points if nothing is wrong
};

/// At all points at once.
Comparison compare(const hl::Program& program, const Expected& expected, const Points& points,
                   std::span<void* const> outputs, Comparer::SecondOpinion second = {});

}  // namespace mdh::driver
