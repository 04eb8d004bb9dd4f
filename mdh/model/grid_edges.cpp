#include "mdh/model/grid_edges.h"

#include <algorithm>

namespace mdh::model {
namespace {

bool ends_early(const GridWork& w, const ll::NestLoop* loop) {
  const int dimension = dimension_of(loop);
  return loop->parts > 1 && points(w.whole, dimension, 0) > w.shape.dimensions[dimension].size;
}

bool are_all_copied(const GridWork& w) {
  const auto& stagings = w.d.stagings();
  return std::all_of(w.shape.buffers.begin(), w.shape.buffers.end(), [&](const auto& buffer) {
    return buffer.is_output || std::any_of(stagings.begin(), stagings.end(), [&](const auto& s) {
             return s.buffer == buffer.number && w.is_copied(s);
           });
  });
}

}  // namespace

bool has_edges(const GridWork& w, const Loops& tile) {
  return std::any_of(tile.begin(), tile.end(),
                     [&](const ll::NestLoop* loop) { return ends_early(w, loop); });
}

bool sums_end_inside(const GridWork& w, const Loops& tile) {
  return std::any_of(tile.begin(), tile.end(), [&](const ll::NestLoop* loop) {
    return w.is_reduced(loop) && ends_early(w, loop);
  });
}

bool asks_at_edges(const GridWork& w, const Loops& tile) {
  return sums_end_inside(w, tile) && !are_all_copied(w);
}

double points_one_by_one(const GridWork& w, const Loops& tile) {
  const bool is_combined = std::any_of(w.rounds.begin(), w.rounds.end(),
                                       [&](const auto* loop) { return w.is_reduced(loop); });
  if (!is_combined || are_all_copied(w)) return 0;
  double left = 1;
  bool ends = false;
  for (int d = 0; d < static_cast<int>(w.shape.dimensions.size()); ++d) {
    const int64_t length = points(tile, d, 0), size = w.shape.dimensions[d].size;
    const bool is_kept = w.shape.dimensions[d].kind == DimensionKind::kept;
    const int64_t rest = is_kept ? size % length : 0;
    ends = ends || rest > 0;
    left *= static_cast<double>(rest > 0 ? rest : length);
  }
  return ends ? left : 0;
}

bool stays_in_warp(const GridWork& w, const ll::NestLoop& loop) {
  int64_t threads = 1;
  for (size_t n = w.members.size(); n-- > 0;) {
    threads *= w.members[n]->parts;
    if (w.members[n] == &loop) break;
  }
  return w.rates.warp % threads == 0;
}

}  // namespace mdh::model
