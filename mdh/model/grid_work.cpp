#include "mdh/model/grid_work.h"

#include <algorithm>

namespace mdh::model {
namespace {

int64_t active_parts(const Shape& shape, const ll::NestLoop& loop) {
  const int64_t size = shape.dimensions[loop.level.dimension].size;
  return std::min(loop.parts, (size + loop.chunk - 1) / loop.chunk);
}

}  // namespace

GridWork::GridWork(const Shape& s, const ll::Decomposition& decomposition, const GridRates& r)
    : shape(s), d(decomposition), rates(r) {
  int last_group = -1;
  for (const ll::NestLoop& loop : d.inputs().loops) {
    if (loop.is_parallel() && !loop.layer->barrier) last_group = static_cast<int>(whole.size());
    whole.push_back(&loop);
  }
  for (size_t n = 0; n < whole.size(); ++n) {
    const ll::NestLoop* loop = whole[n];
    if (loop->is_parallel()) {
      (loop->layer->barrier ? members : groups).push_back(loop);
    } else if (loop->layer->kind == machine::LayerKind::replicated) {
      tile.push_back(loop);
      if (loop->layer->lanes) lanes = loop;
    } else {
      (static_cast<int>(n) < last_group ? launches : rounds).push_back(loop);
    }
  }
  for (const ll::NestLoop* loop : groups) group_count *= active_parts(shape, *loop);
  for (const ll::NestLoop* loop : members) thread_count *= loop->parts;
  warp_count = (thread_count + rates.warp - 1) / rates.warp;
}

Loops GridWork::warp() const {
  Loops inner;
  int64_t threads = 1;
  for (size_t n = members.size(); n-- > 0 && threads < rates.warp;) {
    inner.insert(inner.begin(), members[n]);
    threads *= members[n]->parts;
  }
  return inner;
}

int GridWork::position(const ll::NestLoop* loop) const {
  return static_cast<int>(std::find(whole.begin(), whole.end(), loop) - whole.begin());
}

Loops GridWork::inside(const Loops& some, int at) const {
  Loops result;
  for (const ll::NestLoop* loop : some) {
    if (position(loop) >= at) result.push_back(loop);
  }
  return result;
}

bool GridWork::is_copied(const ll::Staging& staging) const {
  return is_copy_in_memory(staging) && !ll::is_register(d.machine(), staging.place.region);
}

Loops GridWork::copied_by(const ll::Staging& staging) const {
  Loops result;
  for (size_t n = 0; n < whole.size(); ++n) {
    const bool shared = staging.team.contains(static_cast<int>(n));
    const bool is_inside = static_cast<int>(n) >= staging.position;
    if (shared || is_inside) result.push_back(whole[n]);
  }
  return result;
}

double GridWork::rounds_before(int at) const {
  double product = 1;
  for (const ll::NestLoop* loop : rounds) {
    if (position(loop) < at) product *= static_cast<double>(loop->parts);
  }
  return product;
}

double volume(const Loops& loops) {
  double product = 1;
  for (const ll::NestLoop* loop : loops) product *= static_cast<double>(loop->parts);
  return product;
}

Loops both(Loops a, const Loops& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace mdh::model
