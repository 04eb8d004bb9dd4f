#include "mdh/model/traffic.h"

#include <algorithm>
#include <cmath>

namespace mdh::model {
namespace {

class TrafficCounter {
 public:
  TrafficCounter(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
                 const Structure& structure, const Rates& rates)
      : shape_(shape), machine_(machine), config_(config), s_(structure), rates_(rates) {}

  Traffic into(int64_t capacity) const {
    const double room = 0.75 * static_cast<double>(capacity);
    size_t fits = s_.replicated;
    while (fits > 0 && bytes_of_all(fits - 1) <= room) --fits;
    Traffic traffic;
    for (const BufferShape& buffer : shape_.buffers) {
      const double bytes = bytes_of(buffer, fits);
      const double rounds = rounds_of(buffer, fits, bytes <= room / 2);
      const double moved = bytes * rounds * (buffer.is_output ? 2 : 1);
      traffic.bytes += moved;
      traffic.page_misses += moved / static_cast<double>(rates_.line_bytes) * misses(buffer, fits);
    }
    return traffic;
  }

  double copied() const {
    double time = 0;
    for (const BufferShape& buffer : shape_.buffers) {
      const auto staged = config_.stage.find(buffer.name);
      if (buffer.is_output || staged == config_.stage.end()) continue;
      for (const ll::Relocation& r : staged->second) {
        if (is_copy(r) || is_array(buffer, r)) time += copied(buffer, r);
      }
    }
    return time;
  }

 private:
  const std::vector<Level>& loops() const { return s_.loops.levels; }

  bool is_copy(const ll::Relocation& r) const {
    const machine::Region* region = machine_.find_region(r.region);
    return region && !region->is_explicit && !r.layout.empty();
  }

  /// A tile for registers that loops inside of it walk along is a copy in memory.
  bool is_array(const BufferShape& buffer, const ll::Relocation& r) const {
    const machine::Region* region = machine_.find_region(r.region);
    if (!region || !region->is_explicit) return false;
    for (size_t n = s_.whole.position(r.from); n < s_.whole.levels.size(); ++n) {
      const Level& level = s_.whole.levels[n];
      if (level.kind == machine::LayerKind::loop && depends_on(buffer, level.dimension))
        return true;
    }
    return false;
  }

  /// The first of the core's loops inside of a place.
  size_t loop_at(const ll::LevelName& from) const {
    const size_t at = s_.whole.position(from);
    size_t loop = 0;
    for (size_t n = 0; n < at; ++n) {
      if (s_.whole.levels[n].kind == machine::LayerKind::loop) ++loop;
    }
    return loop;
  }

  bool is_before_cores(const ll::LevelName& from) const {
    const size_t at = s_.whole.position(from);
    for (size_t n = at; n < s_.whole.levels.size(); ++n) {
      if (s_.whole.levels[n].kind == machine::LayerKind::cores) return true;
    }
    return false;
  }

  double copied(const BufferShape& buffer, const ll::Relocation& r) const {
    const size_t at = loop_at(r.from);
    double elements = static_cast<double>(tile_of(shape_, s_.loops, buffer, at).elements);
    if (is_before_cores(r.from)) {
      elements = static_cast<double>(tile_of(shape_, s_.whole, buffer, 0).elements) /
                 static_cast<double>(rates_.cores);
    } else {
      elements *= rounds(at);
    }
    const bool rows = r.layout.empty() || keeps_rows(buffer, r);
    const double bytes = elements * static_cast<double>(buffer.element_bytes);
    const double tile = bytes / rounds(at);
    const double rate = tile > static_cast<double>(rates_.l3_bytes) / 2   ? rates_.memory
                        : tile > static_cast<double>(rates_.l2_bytes) / 2 ? rates_.l3
                                                                          : 4 * rates_.l2;
    // It is read, and its new place is read and written.
    return elements * (rows ? 2 * rates_.load : rates_.copied) + 3 * bytes / rate;
  }

  /// The last axis of the tile is the last one of the buffer.
  bool keeps_rows(const BufferShape& buffer, const ll::Relocation& r) const {
    const ll::LayoutAxis& last = r.layout.back();
    const int d = shape_.dimension(last.dimension);
    if (d < 0) return last.dimension == std::to_string(buffer.extents.size());
    return std::any_of(buffer.accesses.begin(), buffer.accesses.end(), [&](const AccessShape& a) {
      return !a.index.empty() && a.index.back().coefficients[d] == 1;
    });
  }

  double rounds(size_t before) const {
    double product = 1;
    for (size_t n = 0; n < before; ++n) product *= static_cast<double>(loops()[n].parts);
    return product;
  }

  /// A packed tile has no holes; otherwise memory comes in lines.
  double bytes_of(const BufferShape& buffer, size_t at) const {
    const Tile tile = tile_of(shape_, s_.loops, buffer, at);
    const double packed = static_cast<double>(tile.elements * buffer.element_bytes);
    if (is_packed(buffer, at) || tile.extents.empty()) return packed;
    const double line = static_cast<double>(rates_.line_bytes);
    const double row = static_cast<double>(tile.extents.back() * buffer.element_bytes);
    double rows = 1;
    for (size_t e = 0; e + 1 < tile.extents.size(); ++e) {
      rows *= static_cast<double>(tile.extents[e]);
    }
    const bool whole = tile.extents.back() == buffer.extents.back();
    // The next round of a loop along the row goes on in the same line.
    if (whole || goes_on(buffer, at)) return rows * row;
    const double bytes = rows * (std::ceil(row / line) * line + line / 4);
    // Rows whose distance is a large power of two compete for the same few places of a cache.
    const bool compete = rows > 16 && (buffer.extents.back() * buffer.element_bytes) % 2048 == 0;
    return compete && row < 1024 ? bytes * std::min(8.0, 1024 / row) : bytes;
  }

  bool goes_on(const BufferShape& buffer, size_t at) const {
    if (at == 0) return false;
    const int d = loops()[at - 1].dimension;
    return std::any_of(buffer.accesses.begin(), buffer.accesses.end(), [&](const AccessShape& a) {
      return !a.index.empty() && a.index.back().coefficients[d] != 0;
    });
  }

  bool is_packed(const BufferShape& buffer, size_t at) const {
    const auto staged = config_.stage.find(buffer.name);
    if (staged == config_.stage.end()) return false;
    return std::any_of(staged->second.begin(), staged->second.end(), [&](const ll::Relocation& r) {
      return is_copy(r) && loop_at(r.from) <= at;
    });
  }

  double bytes_of_all(size_t at) const {
    double bytes = 0;
    for (const BufferShape& buffer : shape_.buffers) bytes += bytes_of(buffer, at);
    return bytes;
  }

  /// How often the tile has to come. What does not move with the loops right around it stays.
  double rounds_of(const BufferShape& buffer, size_t at, bool stays) const {
    size_t n = at;
    while (stays && n > 0 && !depends_on(buffer, loops()[n - 1].dimension)) --n;
    return rounds(n);
  }

  /// Rows that are far apart lie on pages of their own.
  double misses(const BufferShape& buffer, size_t at) const {
    if (is_packed(buffer, at) || buffer.extents.size() < 2) return 0;
    const Tile tile = tile_of(shape_, s_.loops, buffer, at);
    const double row_bytes = static_cast<double>(buffer.extents.back() * buffer.element_bytes);
    double rows = 1;
    for (size_t e = 0; e + 1 < tile.extents.size(); ++e) {
      rows *= static_cast<double>(tile.extents[e]);
    }
    const double used = static_cast<double>(tile.extents.back() * buffer.element_bytes);
    if (rows < 48 || row_bytes < 2048) return 0;
    return std::clamp(1024.0 / used, 0.0, 1.0);
  }

  const Shape& shape_;
  const machine::Machine& machine_;
  const ll::Config& config_;
  const Structure& s_;
  const Rates& rates_;
};

}  // namespace

Traffic traffic_into(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
                     const Structure& structure, const Rates& rates, int64_t capacity) {
  return TrafficCounter(shape, machine, config, structure, rates).into(capacity);
}

double copying(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
               const Structure& structure, const Rates& rates) {
  return TrafficCounter(shape, machine, config, structure, rates).copied();
}

}  // namespace mdh::model
