#include "mdh/model/grid_loads.h"

#include <algorithm>

namespace mdh::model {
namespace {

/// Loads of `lanes` neighbours from a position on, none across a multiple of its own width.
int64_t loads_from(int64_t position, int64_t lanes, int64_t most) {
  int64_t loads = 0;
  for (int64_t read = 0; read < lanes; ++loads) {
    int64_t width = most;
    while (width > 1 && ((position + read) % width != 0 || read + width > lanes)) width /= 2;
    read += width;
  }
  return loads;
}

}  // namespace

bool is_in_registers(const GridWork& w, const ll::Run& run) {
  return run.start >= 0 && std::all_of(run.places.begin(), run.places.end(), [&](auto& place) {
           return ll::is_register(w.d.machine(), place.region);
         });
}

bool has_named_tile(const GridWork& w) {
  const auto& runs = w.d.runs();
  const auto& stagings = w.d.stagings();
  return std::any_of(runs.begin(), runs.end(),
                     [&](const ll::Run& run) { return is_in_registers(w, run); }) ||
         std::any_of(stagings.begin(), stagings.end(), [&](const ll::Staging& s) {
           return ll::is_register(w.d.machine(), s.place.region);
         });
}

Loops straight_tile(const GridWork& w) {
  if (!w.lanes || has_named_tile(w)) return w.tile;
  Loops straight;
  for (const ll::NestLoop* loop : w.tile) {
    straight.push_back(loop);
    if (loop->layer->lanes && loop != w.lanes) straight.clear();
  }
  return straight;
}

double lanes_at_once(const BufferShape& buffer, int64_t lanes, int64_t most) {
  int64_t known = 1;  // rows begin at multiples of that
  const bool is_row = buffer.extents.size() == 1;
  while (2 * known <= most && (is_row || buffer.extents.back() % (2 * known) == 0)) known *= 2;
  int64_t loads = 0;
  for (const AccessShape& access : buffer.accesses) {
    const int64_t offset = access.index.empty() ? 0 : access.index.back().constant % known;
    loads += loads_from(offset, lanes, known);
  }
  return static_cast<double>(lanes * static_cast<int64_t>(buffer.accesses.size())) /
         static_cast<double>(std::max<int64_t>(1, loads));
}

bool is_dealt_by_digits(const GridWork& w, const BufferShape& buffer, const Loops& copied) {
  if (buffer.extents.empty()) return false;
  for (size_t d = 0; d < w.shape.dimensions.size(); ++d) {
    const int n = static_cast<int>(d);
    if (!moves_along(buffer, buffer.extents.size() - 1, n)) continue;
    const auto digits = std::count_if(copied.begin(), copied.end(), [&](const auto* loop) {
      return dimension_of(loop) == n && loop->parts > 1;
    });
    if (digits > 1 && points(w.whole, n, 0) > w.shape.dimensions[d].size) return true;
  }
  return false;
}

double digits_of_places(const BufferShape& buffer, const Loops& copied) {
  const auto moves = [&](const ll::NestLoop* loop) {
    for (size_t axis = 0; axis < buffer.extents.size(); ++axis) {
      if (loop->parts > 1 && moves_along(buffer, axis, dimension_of(loop))) return true;
    }
    return false;
  };
  return static_cast<double>(std::count_if(copied.begin(), copied.end(), moves));
}

}  // namespace mdh::model
