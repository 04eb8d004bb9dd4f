// What languages with a grid of groups of items call it.
#pragma once

#include <array>
#include <string>

#include "mdh/backend/c/dialect.h"
#include "mdh/backend/c/helpers.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// How a language calls what all of them have.
struct GridWords {
  std::string language;  // of the module
  Dialect dialect = Dialect::opencl;
  /// Begins the definition of a function that is launched with groups of so many items, so many of
  /// which form a cluster.
  std::string (*kernel)(const std::array<int64_t, 3>& items, const loop::LaunchBounds& bounds,
                        const std::array<int64_t, 3>& cluster) = nullptr;
  std::string local;  // begins the definition of an array that a group shares
  /// Instead of that, one array whose size is said at the launch, from which all others are cut.
  std::string shared;
  std::string to_global;  // in the type of a pointer to global memory, with a blank
  std::string to_local;   // in the type of a pointer to such an array, with a blank
  std::string alone;      // of a pointer: nothing else points to this memory
  /// Kernels that wait for what others put into the workspace, or into results, say so, too. Some
  /// compilers then take what they have read there from before a barrier to behind it.
  bool alone_at_barriers = true;
  int64_t many_items =
      256;  // of groups that take element after element of many, or share after share
  std::array<std::string, 3> group;  // the number of this group, along each axis of a launch
  std::array<std::string, 3> item;   // the number of this item in its group
  std::string item_of_all;           // ... in the grid; launches along one axis only
  std::string items_of_all;          // of the grid
  std::string barrier;        // of a group: writes before it, of all items, are seen after it
  std::string local_barrier;  // those to what the group shares; none: there is no such barrier
  /// The type of so many numbers beside each other, whose parts are x, y, z and w; defined where
  /// the language does not have it.
  std::string (*neighbours)(scalar::Scalar type, int64_t count, Helpers& helpers) = nullptr;
  int64_t warp = 1;          // items of one
  std::string warp_barrier;  // of items of a warp; none: all of a group wait
  std::string exchange;  // of registers in a warp: what an item further on has; none: nobody can
  std::string
      arrivals;  // helper that tells who is done last (rts/arrive_last.cu); none: nobody knows
  bool atomics = false;  // members of a grid combine into one element, in the words of CUDA
  std::string follows;   // helper for members that follow others (rts/follow.cu); none: they do not
  std::string clusters;  // helper for members that meet (rts/cluster.cu); none: they do not
  std::string
      copies;  // helper that has copies in flight (rts/copy_async.cu); none: they land at once
  /// Helper by which kernels wait for the launch before theirs (rts/wait_for_launch.cu); none: they
  /// are launched when that has ended.
  std::string waits;
  std::string
      streams;  // helper that stores past caches (rts/store_streaming.cu); none: nothing does
};

}  // namespace mdh::backend
