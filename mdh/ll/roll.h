// Tiles that keep what the next iteration of a loop needs again: sliding windows.
#pragma once

#include <string>
#include <variant>

#include "mdh/ll/staging.h"

namespace mdh::ll {

/// How the window moves from one iteration to the next.
struct Roll {
  size_t axis = 0;    // of the tile, in the order in which it is stored
  int64_t shift = 1;  // places along it
  friend bool operator==(const Roll&, const Roll&) = default;
};

/// The roll of a tile along a loop, or what speaks against it. The loop must be the innermost one
/// around the copy, so that what the tile holds is what the iteration before left there; it moves
/// forwards along one axis, by less than the axis is long.
std::variant<Roll, std::string> roll_of(const Program& p, const Nest& inputs,
                                        const Staging& staging, const Level& level);

}  // namespace mdh::ll
