// What has to come from where.
#pragma once

#include <memory>

#include "mdh/model/structure.h"

namespace mdh::model {

/// Bytes that one core brings into a cache, over the whole computation, and how many lines of them
/// lie on pages that are not at hand.
struct Traffic {
  double bytes = 0;
  double page_misses = 0;
  double lines = 0;  // at the beginning of runs, which nobody asked for ahead
};

/// Copies fill a place before anything is computed from it: what they read comes while nothing is
/// computed. All other data come while something is.
enum class While { computing, copying };

class TrafficCounter;

class Movement {
 public:
  /// The work outlives it.
  explicit Movement(const Work& work);
  ~Movement();

  /// Into a memory of the rates by its number; into that part of it which is one core's.
  Traffic into(size_t memory, While when) const;
  double bytes_into(size_t memory) const;  // all of them

  /// Elements that one core copies into tiles, times the cost of each, in nanoseconds.
  double copying() const;

 private:
  std::unique_ptr<TrafficCounter> counter_;
};

/// A copy in panels: what walks along its last axis is also an axis outside of others, so that the
/// pieces of a row lie apart.
bool cuts_rows(const ll::Layout& layout);

}  // namespace mdh::model
