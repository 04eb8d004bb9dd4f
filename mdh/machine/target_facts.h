// What passes may know about the target that code is made for. Passes ask these facts and never the
// name of a target.
#pragma once

#include <cstdint>

namespace mdh::machine {

/// How the cores of a target work together.
enum class Teams {
  one,     // all cores wait for one another: threads
  nested,  // those of a grid do not, but the cores of each of its members do: work-groups and items
};

struct TargetFacts {
  Teams teams = Teams::one;
  int64_t vector_bytes = 16;   // that every vector unit of the target can move at once
  int64_t indexed_bytes = 16;  // of vectors whose single lanes can be multiplied with whole ones
  int64_t line_bytes = 64;     // of a cache line
  /// Of cores without vectors: what one of them moves at once, as numbers beside each other.
  int64_t access_bytes = 0;
  int64_t lockstep = 1;     // neighbouring cores of a group that have a barrier of their own
  bool exchanges = false;   // those hand each other registers
  bool knows_last = false;  // members of a grid can tell who of them is done last
  bool atomics = false;     // and combine into one element without waiting for each other
  bool follows = false;     // and wait for those that began before them
  /// So many members of a grid run at the same time, wait for each other and read what each of them
  /// has in the memory of its group; 0: none do.
  int64_t most_that_meet = 0;
  // No pass asks for it yet: copies that fly are the business of the printer of grids.
  bool copies_in_flight = false;  // copies from global memory that do not pass through registers

  friend bool operator==(const TargetFacts&, const TargetFacts&) = default;
};

}  // namespace mdh::machine
