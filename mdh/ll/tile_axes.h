// How a tile is stored: its axes in the order of a layout, and what moves along each of them.
#pragma once

#include <vector>

#include "mdh/ll/code.h"
#include "mdh/ll/nest.h"
#include "mdh/ll/tile.h"

namespace mdh::ll {

/// One band of a buffer dimension. Neighbours along the axis are `stride` apart in the buffer.
struct TileAxis {
  size_t dimension = 0;
  int64_t stride = 1;
  int64_t extent = 1;
  std::vector<int> loops;  // free loops that move along it
  bool constants = false;  // the accesses themselves are spread along it
  bool whole = false;      // the index function is not affine: all of the buffer's dimension
};

/// The axes of a tile that holds the data of the free loops, outermost first. A dimension that the
/// layout cuts into digits has its other bands, which it does not list, before them.
std::vector<TileAxis> tile_axes(const Program& p, const Nest& nest, const hl::BufferView& buffer,
                                const Family& family, const std::set<int>& free,
                                const Layout& layout);

/// How many of the innermost axes make up a line of so many of the layout's last axes: all bands of
/// a dimension that stands there whole, one of a digit. Padding comes behind a line.
size_t axes_of_line(const std::vector<TileAxis>& axes, const Layout& layout, int64_t dimensions);

/// How long a line is stored: with what is left free behind it, and, where pieces change places, as
/// many as it takes for each to find one.
int64_t stored_line(int64_t elements, const StageCode& code, const scalar::Type& type);

/// What one iteration more of a loop adds to an index of the buffer; 0 where it is not affine.
int64_t index_step(const Program& p, const hl::BufferView& buffer, const Family& family,
                   size_t dimension, const NestLoop& loop);

}  // namespace mdh::ll
