#include "mdh/model/nest.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace mdh::model {

size_t Nest::position(const ll::LevelName& name) const {
  size_t at = 0;
  while (at < levels.size() && levels[at].name != name) ++at;
  return at;
}

int64_t Nest::spread(const Shape& shape, int dimension, size_t from) const {
  int64_t farthest = 0;
  for (size_t n = from; n < levels.size(); ++n) {
    const Level& level = levels[n];
    if (level.dimension == dimension) farthest += (level.parts - 1) * level.step;
  }
  return std::min(farthest + 1, shape.dimensions[dimension].size);
}

int64_t Nest::points(int dimension, size_t from) const {
  int64_t count = 1;
  for (size_t n = from; n < levels.size(); ++n) {
    if (levels[n].dimension == dimension) count *= levels[n].parts;
  }
  return count;
}

Nest nest_of(const Shape& shape, const machine::Machine& machine, const ll::Config& config) {
  Nest nest;
  for (const ll::LevelName& name : config.order) {
    Level level{.dimension = shape.dimension(name.dimension), .name = name};
    const machine::Layer* layer = machine.find_layer(name.layer);
    const auto split = config.split.find(name.dimension);
    if (level.dimension < 0 || !layer || split == config.split.end()) continue;
    level.kind = layer->kind;
    level.lanes = layer->lanes;
    bool found = false;
    for (const ll::Digit& digit : split->second) {
      if (found) level.step *= digit.parts;
      if (digit.layer == name.layer) {
        level.parts = digit.parts;
        found = true;
      }
    }
    if (found) nest.levels.push_back(level);
  }
  return nest;
}

Tile tile_of(const Shape& shape, const Nest& nest, const BufferShape& buffer,
             const AccessShape& access, size_t from) {
  Tile tile;
  int64_t points = 1;
  std::vector<bool> used(shape.dimensions.size(), false);
  for (size_t e = 0; e < access.index.size(); ++e) {
    int64_t extent = 1, count = 1;
    for (size_t d = 0; d < shape.dimensions.size(); ++d) {
      const int64_t step = std::abs(access.index[e].coefficients[d]);
      if (step == 0) continue;
      extent += step * (nest.spread(shape, static_cast<int>(d), from) - 1);
      count *= std::min(nest.points(static_cast<int>(d), from), shape.dimensions[d].size);
      used[d] = true;
    }
    tile.extents.push_back(std::min(extent, buffer.extents[e]));
    tile.counts.push_back(std::min(count, tile.extents.back()));
    tile.elements *= tile.extents.back();
  }
  for (size_t d = 0; d < used.size(); ++d) {
    if (used[d]) {
      points *= std::min(nest.points(static_cast<int>(d), from), shape.dimensions[d].size);
    }
  }
  tile.elements = std::min(tile.elements, points);
  return tile;
}

Tile tile_of(const Shape& shape, const Nest& nest, const BufferShape& buffer, size_t from) {
  // Several accesses: the box around all of them.
  Tile all;
  std::vector<int64_t> low(buffer.extents.size(), std::numeric_limits<int64_t>::max()), high(low);
  int64_t elements = 0;
  all.counts.assign(buffer.extents.size(), 0);
  for (size_t n = 0; n < buffer.accesses.size(); ++n) {
    const AccessShape& access = buffer.accesses[n];
    const Tile tile = tile_of(shape, nest, buffer, access, from);
    for (size_t e = 0; e < tile.extents.size(); ++e) {
      const int64_t begin = access.index[e].constant, end = begin + tile.extents[e];
      low[e] = n == 0 ? begin : std::min(low[e], begin);
      high[e] = n == 0 ? end : std::max(high[e], end);
      all.counts[e] += tile.counts[e];
    }
    elements += tile.elements;
  }
  int64_t volume = 1;
  for (size_t e = 0; e < buffer.extents.size(); ++e) {
    all.extents.push_back(std::min(high[e] - low[e], buffer.extents[e]));
    all.counts[e] = std::min(all.counts[e], all.extents.back());
    volume *= all.extents.back();
  }
  all.elements = std::min(volume, elements);
  return all;
}

bool depends_on(const BufferShape& buffer, int dimension) {
  return std::any_of(buffer.accesses.begin(), buffer.accesses.end(), [&](const AccessShape& a) {
    return std::any_of(a.index.begin(), a.index.end(),
                       [&](const hl::Affine& index) { return index.coefficients[dimension] != 0; });
  });
}

int stride_along(const BufferShape& buffer, int dimension) {
  int most = 0;
  for (const AccessShape& access : buffer.accesses) {
    for (size_t e = 0; e < access.index.size(); ++e) {
      const int64_t step = access.index[e].coefficients[dimension];
      if (step == 0) continue;
      most = std::max(most, e + 1 == access.index.size() && step == 1 ? 1 : 2);
    }
  }
  return most;
}

}  // namespace mdh::model
