// The loops of a configuration, and what lies inside of them.
#pragma once

#include <vector>

#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/model/shape.h"

namespace mdh::model {

struct Level {
  int dimension = 0;
  int64_t parts = 1;
  int64_t step = 1;  // of the index, from part to part
  machine::LayerKind kind = machine::LayerKind::loop;
  bool lanes = false;
  ll::LevelName name;
};

struct Nest {
  std::vector<Level> levels;  // outermost first

  /// Position of a level; the number of levels if it is not there ("f").
  size_t position(const ll::LevelName& name) const;

  /// How far indices of a dimension spread over the parts of the levels from a position on.
  int64_t spread(const Shape& shape, int dimension, size_t from) const;

  /// Points of the levels from a position on along one dimension.
  int64_t points(int dimension, size_t from) const;
};

Nest nest_of(const Shape& shape, const machine::Machine& machine, const ll::Config& config);

/// A box of buffer elements: what the levels from a position on touch.
struct Tile {
  std::vector<int64_t> extents;
  std::vector<int64_t> counts;  // along each dimension; parts may lie apart
  int64_t elements = 1;         // distinct ones; at most the volume of the extents
};

Tile tile_of(const Shape& shape, const Nest& nest, const BufferShape& buffer, size_t from);
Tile tile_of(const Shape& shape, const Nest& nest, const BufferShape& buffer,
             const AccessShape& access, size_t from);

/// Some index function of the buffer moves with the dimension.
bool depends_on(const BufferShape& buffer, int dimension);

/// How an address moves with a dimension: 0, 1, or more (2 stands for all others).
int stride_along(const BufferShape& buffer, int dimension);

}  // namespace mdh::model
