#include "mdh/model/grid_traffic.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "mdh/model/grid_union.h"

namespace mdh::model {
namespace {

/// Of a cache, before it is full.
constexpr double usable = 0.8;
constexpr double bytes_of_piece = 64;  // of memory

class TrafficOfGroups {
 public:
  TrafficOfGroups(const GridWork& work, int64_t resident, double cache)
      : w_(work), shape_(work.shape), resident_(resident), cache_(cache) {}

  GridTraffic run() {
    GridTraffic traffic;
    const double launches = volume(w_.launches);
    for (const BufferShape& buffer : shape_.buffers) {
      const double bytes = launches * groups_that_ask(buffer) * of_group(buffer);
      traffic.l2 += bytes;
      if (!buffer.is_output) traffic.l2_of_inputs += bytes;
    }
    if (bytes_of_all(shape_) > usable * static_cast<double>(w_.rates.l2)) {
      add_waves(launches, traffic);
      traffic.l2 = std::max(traffic.l2, traffic.memory);
    }
    return traffic;
  }

 private:
  /// In whole sectors.
  double bytes(const BufferShape& buffer, const Union& box) const {
    if (box.extents.empty()) return static_cast<double>(buffer.element_bytes);
    const double sector = static_cast<double>(w_.rates.sector);
    const double rows = box.rows;
    const double eb = static_cast<double>(buffer.element_bytes);
    const double along = std::min(std::ceil(static_cast<double>(box.extents.back()) * eb / sector),
                                  static_cast<double>(box.counts.back()));
    const double all = static_cast<double>(box.elements) * eb;
    const double last = static_cast<double>(box.extents.back());
    // Of a box whose elements are not all touched, rows are taken to be as full as the box.
    const double share = std::min(1.0, all / (rows * last * eb));
    return std::max(all, rows * along * sector * std::max(share, eb / sector));
  }

  /// What is small and the same for all groups stays in the caches of multiprocessors from group to
  /// group.
  double groups_that_ask(const BufferShape& buffer) const {
    const double all = static_cast<double>(w_.group_count);
    const bool is_same = std::none_of(w_.groups.begin(), w_.groups.end(), [&](const auto* loop) {
      return loop->parts > 1 && depends_on(buffer, dimension_of(loop));
    });
    if (buffer.is_output || !is_same || is_copied(buffer)) return all;
    const double once = bytes(buffer, union_of(shape_, of_one_group(0), buffer));
    if (once > cache_ / 4) return all;
    return std::min(all, static_cast<double>(w_.rates.multiprocessors));
  }

  bool is_copied(const BufferShape& buffer) const {
    return std::any_of(w_.d.stagings().begin(), w_.d.stagings().end(), [&](const ll::Staging& s) {
      return s.buffer == buffer.number && w_.is_copied(s);
    });
  }

  /// Bytes that a group asks the second cache for.
  double of_group(const BufferShape& buffer) const {
    if (buffer.is_output) return bytes(buffer, union_of(shape_, of_one_group(0), buffer));
    if (is_copied(buffer)) return copied(buffer);
    // The outermost loop whose data stays in the cache until it is used again.
    size_t fits = w_.rounds.size();
    while (fits > 0 && bytes_of_direct(fits - 1) <= usable * cache_) --fits;
    double rounds = 1;
    size_t last = fits;
    while (last > 0 && !depends_on(buffer, dimension_of(w_.rounds[last - 1])) &&
           bytes_of_direct(fits) <= usable * cache_) {
      --last;
    }
    for (size_t n = 0; n < last; ++n) rounds *= static_cast<double>(w_.rounds[n]->parts);
    return rounds * bytes(buffer, union_of(shape_, of_one_group(fits), buffer));
  }

  double copied(const BufferShape& buffer) const {
    double most = 0;
    for (const ll::Staging& s : w_.d.stagings()) {
      if (s.buffer != buffer.number || !w_.is_copied(s) || s.source >= 0) continue;
      most = std::max(most, bytes(buffer, union_of(shape_, w_.copied_by(s), buffer)) *
                                w_.rounds_before(std::min(s.filled, s.position)));
    }
    return most;
  }

  double bytes_of_direct(size_t round) const {
    double sum = 0;
    const Loops loops = of_one_group(round);
    for (const BufferShape& buffer : shape_.buffers) {
      if (!buffer.is_output && !is_copied(buffer)) {
        sum += bytes(buffer, union_of(shape_, loops, buffer));
      }
    }
    return sum * static_cast<double>(resident_);
  }

  /// What a group does in the loops from a round on.
  Loops of_one_group(size_t round) const {
    Loops loops = w_.members;
    for (size_t n = round; n < w_.rounds.size(); ++n) loops.push_back(w_.rounds[n]);
    return both(loops, w_.tile);
  }

  /// Groups that run at the same time read together; what they have read is gone in the next wave,
  /// but for small buffers.
  void add_waves(double launches, GridTraffic& traffic) const {
    const auto all = static_cast<double>(w_.rates.multiprocessors * resident_);
    const double count = static_cast<double>(w_.group_count);
    const double waves = std::max(1.0, count / all);
    std::deque<ll::NestLoop> cut;
    Loops wave = of_one_group(0);
    double left = std::min(all, count);
    for (size_t n = w_.groups.size(); n-- > 0 && left > 1;) {
      cut.push_back(*w_.groups[n]);
      cut.back().parts = std::min(cut.back().parts, static_cast<int64_t>(std::ceil(left)));
      left /= static_cast<double>(cut.back().parts);
      wave.push_back(&cut.back());
    }
    for (const BufferShape& buffer : shape_.buffers) {
      double once = static_cast<double>(buffer.element_bytes);
      for (const int64_t extent : buffer.extents) once *= static_cast<double>(extent);
      const bool stays = once <= usable / 2 * static_cast<double>(w_.rates.l2);
      const double moved = waves * bytes(buffer, union_of(shape_, wave, buffer));
      const double whole = bytes(buffer, union_of(shape_, w_.whole, buffer));
      const double all = buffer.is_output ? whole * share_of_written(buffer)
                         : stays          ? whole
                                          : std::max(whole, moved);
      traffic.memory += launches * all;
      (buffer.is_output ? traffic.memory_of_outputs : traffic.memory_of_inputs) += launches * all;
    }
  }

  /// Memory is written in pieces. What a group leaves of one to its later rounds may be gone from the
  /// cache by then: they find it in memory, and it is written again.
  double share_of_written(const BufferShape& buffer) const {
    const Loops at_once = both(w_.members, w_.tile);
    const double now = along(buffer, at_once), later = along(buffer, of_one_group(0));
    if (later <= now || std::fmod(now, bytes_of_piece) == 0) return 1;
    const double dirty = static_cast<double>(w_.rates.multiprocessors * resident_) *
                         bytes(buffer, union_of(shape_, of_one_group(0), buffer));
    return dirty > usable * static_cast<double>(w_.rates.l2) ? 3 : 1;
  }

  /// Bytes side by side.
  double along(const BufferShape& buffer, const Loops& loops) const {
    const Touched box = touched(shape_, loops, buffer, 0);
    int64_t elements = 1;
    for (size_t e = box.counts.size(); e-- > 0;) {
      elements *= box.counts[e];
      if (box.counts[e] < buffer.extents[e]) break;
    }
    return static_cast<double>(elements * buffer.element_bytes);
  }

  const GridWork& w_;
  const Shape& shape_;
  int64_t resident_;
  double cache_;
};

}  // namespace

double bytes_of_all(const Shape& shape) {
  double sum = 0;
  for (const BufferShape& buffer : shape.buffers) {
    double bytes = static_cast<double>(buffer.element_bytes);
    for (const int64_t extent : buffer.extents) bytes *= static_cast<double>(extent);
    sum += bytes;
  }
  return sum;
}

GridTraffic grid_traffic(const GridWork& work, int64_t resident, double cache) {
  return TrafficOfGroups(work, resident, cache).run();
}

}  // namespace mdh::model
