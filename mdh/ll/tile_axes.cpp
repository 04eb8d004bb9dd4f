#include "mdh/ll/tile_axes.h"

#include <algorithm>
#include <numeric>

#include "mdh/hl/analysis.h"
#include "mdh/ll/count.h"

namespace mdh::ll {
namespace {

std::optional<hl::Affine> index_of(const Program& p, const hl::BufferView& buffer,
                                   const Family& family, size_t dimension) {
  return hl::find_affine(p.computation, buffer.accesses[family.front()].index[dimension]);
}

/// The distance between the constants of the accesses; 0 if they are all the same.
int64_t spread_of(const Program& p, const hl::BufferView& buffer, const Family& family,
                  size_t dimension) {
  const int64_t first = index_of(p, buffer, family, dimension)->constant;
  int64_t step = 0;
  for (const int a : family) {
    const auto index = hl::find_affine(p.computation, buffer.accesses[a].index[dimension]);
    step = std::gcd(step, index->constant - first);
  }
  return step;
}

/// The bands of one dimension, coarsest first, with what moves along them.
std::vector<TileAxis> bands_of(const Program& p, const Nest& nest, const hl::BufferView& buffer,
                               const Family& family, const std::set<int>& free, const Tile& tile,
                               size_t dimension) {
  std::vector<TileAxis> axes;
  const bool whole = !index_of(p, buffer, family, dimension);
  for (const Band& band : tile.axes[dimension]) {
    axes.push_back({dimension, band.stride, band.extent, {}, false, whole});
  }
  if (whole) return axes;
  // Bands are cut so that everything coarser has larger strides than everything finer.
  const auto band_of = [&](int64_t stride) {
    auto found = axes.begin();
    for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
      if (axis->stride <= stride) found = axis;
    }
    return found;
  };
  for (const int r : free) {
    const int64_t step = std::abs(index_step(p, buffer, family, dimension, nest.loops[r]));
    if (step != 0 && nest.loops[r].parts > 1) band_of(step)->loops.push_back(r);
  }
  const int64_t spread = spread_of(p, buffer, family, dimension);
  if (spread != 0) band_of(spread)->constants = true;
  std::reverse(axes.begin(), axes.end());
  return axes;
}

/// The band that is exactly one level of the named layer.
bool is_digit(const Program& p, const Nest& nest, const TileAxis& axis, const std::string& layer) {
  return axis.loops.size() == 1 && !axis.constants &&
         p.layers[nest.loops[axis.loops[0]].level.layer] == layer;
}

}  // namespace

size_t axes_of_line(const std::vector<TileAxis>& axes, const Layout& layout, int64_t dimensions) {
  const bool by_digits = !layout.empty() && !layout.back().layer.empty();
  size_t count = 0;
  while (count < axes.size()) {
    const size_t at = axes.size() - count - 1;
    const bool goes_on = count > 0 && !by_digits && axes[at].dimension == axes[at + 1].dimension;
    if (!goes_on && dimensions-- == 0) break;
    ++count;
  }
  return count;
}

int64_t stored_line(int64_t elements, const StageCode& code, const scalar::Type& type) {
  const int64_t padded = saturating_sum(elements, code.pad);
  if (code.swizzle <= 1) return padded;
  const int64_t all = code.swizzle * scalar::elements_of_piece(type);
  return saturating_product((padded - 1) / all + 1, all);
}

int64_t index_step(const Program& p, const hl::BufferView& buffer, const Family& family,
                   size_t dimension, const NestLoop& loop) {
  const auto index = index_of(p, buffer, family, dimension);
  return index ? index->coefficients[loop.level.dimension] * loop.chunk : 0;
}

std::vector<TileAxis> tile_axes(const Program& p, const Nest& nest, const hl::BufferView& buffer,
                                const Family& family, const std::set<int>& free,
                                const Layout& layout) {
  const Tile tile = tile_of(nest, p.computation, buffer, family, free);
  std::vector<std::vector<TileAxis>> left;  // not placed yet, by dimension, coarsest first
  for (size_t e = 0; e < tile.axes.size(); ++e) {
    left.push_back(bands_of(p, nest, buffer, family, free, tile, e));
  }
  std::vector<TileAxis> axes;
  const auto place = [&](size_t e, const auto& chosen) {
    for (auto axis = left[e].begin(); axis != left[e].end();) {
      const bool now = chosen(*axis);
      if (now) axes.push_back(*axis);
      axis = now ? left[e].erase(axis) : std::next(axis);
    }
  };
  const auto is_listed = [&](const TileAxis& band) {
    return std::any_of(layout.begin(), layout.end(), [&](const Axis& axis) {
      return static_cast<size_t>(axis.dimension) == band.dimension + 1 && !axis.layer.empty() &&
             is_digit(p, nest, band, axis.layer);
    });
  };
  for (const Axis& axis : layout) {
    const auto e = static_cast<size_t>(axis.dimension) - 1;
    place(e, [&](const TileAxis& band) { return !is_listed(band); });
    place(e, [&](const TileAxis& band) {
      return axis.layer.empty() || is_digit(p, nest, band, axis.layer);
    });
  }
  for (size_t e = 0; e < left.size(); ++e) place(e, [](const TileAxis&) { return true; });
  return axes;
}

}  // namespace mdh::ll
