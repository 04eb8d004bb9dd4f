#include "mdh/model/structure.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace mdh::model {

Structure structure_of(const ll::Decomposition& d) {
  Structure s;
  for (const ll::NestLoop& loop : d.inputs().loops) {
    s.whole.push_back(&loop);
    if (is_loop(loop)) s.loops.push_back(&loop);
    if (loop.is_parallel()) s.cores.push_back(&loop);
  }
  s.replicated = s.loops.size();
  for (const ll::NestLoop* loop : s.whole) {
    if (loop->layer->kind == machine::LayerKind::replicated) s.loops.push_back(loop);
  }
  return s;
}

size_t Structure::loops_before(int position) const {
  return static_cast<size_t>(std::count_if(whole.begin(), whole.begin() + position,
                                           [](const ll::NestLoop* l) { return is_loop(*l); }));
}

int64_t points(const Loops& loops, int dimension, size_t from) {
  int64_t count = 1;
  for (size_t n = from; n < loops.size(); ++n) {
    if (dimension_of(loops[n]) == dimension) count *= loops[n]->parts;
  }
  return count;
}

int64_t spread(const Shape& shape, const Loops& loops, int dimension, size_t from) {
  int64_t farthest = 0;
  for (size_t n = from; n < loops.size(); ++n) {
    if (dimension_of(loops[n]) == dimension) farthest += (loops[n]->parts - 1) * loops[n]->chunk;
  }
  return std::min(farthest + 1, shape.dimensions[dimension].size);
}

Touched touched(const Shape& shape, const Loops& loops, const BufferShape& buffer,
                const AccessShape& access, size_t from) {
  Touched box;
  int64_t distinct = 1;
  std::vector<bool> used(shape.dimensions.size(), false);
  for (size_t e = 0; e < access.index.size(); ++e) {
    int64_t extent = 1, count = 1;
    for (size_t d = 0; d < shape.dimensions.size(); ++d) {
      const int64_t step = std::abs(access.index[e].coefficients[d]);
      if (step == 0) continue;
      extent += step * (spread(shape, loops, static_cast<int>(d), from) - 1);
      count *= std::min(points(loops, static_cast<int>(d), from), shape.dimensions[d].size);
      used[d] = true;
    }
    box.extents.push_back(std::min(extent, buffer.extents[e]));
    box.counts.push_back(std::min(count, box.extents.back()));
    box.elements *= box.extents.back();
  }
  for (size_t d = 0; d < used.size(); ++d) {
    if (used[d]) {
      distinct *= std::min(points(loops, static_cast<int>(d), from), shape.dimensions[d].size);
    }
  }
  box.elements = std::min(box.elements, distinct);
  return box;
}

Touched touched(const Shape& shape, const Loops& loops, const BufferShape& buffer, size_t from) {
  if (buffer.accesses.size() == 1) {
    return touched(shape, loops, buffer, buffer.accesses.front(), from);
  }
  // The box around all of them.
  Touched all;
  std::vector<int64_t> low(buffer.extents.size(), std::numeric_limits<int64_t>::max()), high(low);
  int64_t elements = 0;
  all.counts.assign(buffer.extents.size(), 0);
  for (size_t n = 0; n < buffer.accesses.size(); ++n) {
    const AccessShape& access = buffer.accesses[n];
    const Touched box = touched(shape, loops, buffer, access, from);
    for (size_t e = 0; e < box.extents.size(); ++e) {
      const int64_t begin = access.index[e].constant, end = begin + box.extents[e];
      low[e] = n == 0 ? begin : std::min(low[e], begin);
      high[e] = n == 0 ? end : std::max(high[e], end);
      all.counts[e] += box.counts[e];
    }
    elements += box.elements;
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

}  // namespace mdh::model
