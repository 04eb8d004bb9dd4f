// What happens at the end of a dimension whose size is no multiple of what is computed at once.
#pragma once

#include <cstdint>
#include <vector>

namespace mdh::ll {

class Decomposition;

/// The last tile of registers along a dimension.
enum class LastTile {
  fits,     // it ends where the dimension does
  padded,   // whole, read from copies with room for it; what lies beyond the end is never written
  shifted,  // whole, moved back onto elements of the tile before it
  cut,      // in a body of its own, which asks for every part whether it is there
  clamped,  // as all tiles are: by loops that end where the dimension does
};

struct DimensionEnd {
  int64_t tile = 1;   // points that are computed at once, side by side in one core
  int64_t parts = 1;  // product of all parts: what they cover
  LastTile last = LastTile::fits;
};

/// By dimension. What the passes pad, overlap and two-bodies do with tiles where the configuration
/// leaves it to them: all dimensions are padded, or else all are shifted, or else tiles are cut.
std::vector<DimensionEnd> dimension_ends(const Decomposition& d);

}  // namespace mdh::ll
