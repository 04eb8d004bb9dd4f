#include "mdh/model/traffic.h"

#include <algorithm>
#include <cmath>
#include <map>

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
    const bool first = capacity == rates_.l1_bytes;
    while (fits > 0 && bytes_of_all(fits - 1) <= room) --fits;
    Traffic traffic;
    if (fits == 0 && bytes_of_all(0) <= room) return traffic;  // it is there from run to run
    if (first) traffic.bytes += crowded_rounds();
    for (const BufferShape& buffer : shape_.buffers) {
      const double bytes = bytes_of(buffer, fits);
      double moved = bytes * rounds_of(buffer, fits, bytes <= room / 2);
      // Neighbouring tiles share what lies between them.
      if (fits > 0) moved = std::min(moved, bytes_of(buffer, fits - 1) * rounds(fits - 1));
      if (first) moved = std::max(moved, crowded_bytes(buffer, fits));
      if (buffer.is_output) moved *= 2;
      traffic.bytes += moved;
      traffic.page_misses += moved / static_cast<double>(rates_.line_bytes) * misses(buffer, fits);
      const double run = run_of(buffer);
      traffic.lines +=
          std::min(moved / run * first_lines, moved / static_cast<double>(rates_.line_bytes));
    }
    return traffic;
  }

  double copied() const {
    double time = 0;
    for (const BufferShape& buffer : shape_.buffers) {
      const auto staged = config_.stage.find(buffer.name);
      if (buffer.is_output || staged == config_.stage.end()) continue;
      for (const ll::Relocation& r : staged->second) {
        if (is_copy(buffer, r) || is_array(buffer, r)) time += copied(buffer, r);
      }
    }
    return time;
  }

 private:
  const std::vector<Level>& loops() const { return s_.loops.levels; }

  bool is_copy(const BufferShape& buffer, const ll::Relocation& r) const {
    return is_in_cache(r) && !r.layout.empty() && !is_kept(buffer, r.layout);
  }

  /// The order of the buffer itself: in a cache that is no copy.
  bool is_kept(const BufferShape& buffer, const std::vector<ll::LayoutAxis>& layout) const {
    if (layout.size() != buffer.extents.size()) return false;
    for (size_t e = 0; e < layout.size(); ++e) {
      if (!layout[e].layer.empty()) return false;
      const int d = shape_.dimension(layout[e].dimension);
      const bool same =
          d < 0 ? layout[e].dimension == std::to_string(e + 1) : moves_along(buffer, e, d);
      if (!same) return false;
    }
    return true;
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
    // Its new place is written; lines that are in no cache are read before, and written back.
    const double times = tile > static_cast<double>(rates_.l3_bytes) / 2 ? 3 : 2;
    const double lanes =
        static_cast<double>(std::max<int64_t>(1, rates_.vector_bytes / buffer.element_bytes));
    const double begun = begun_lines(buffer, r, at, bytes) * found_at(bytes_of(buffer, 0));
    return elements * (rows ? 4 * rates_.load / lanes : rates_.copied) + times * bytes / rate +
           begun;
  }

  /// Lines at the beginning of the rows of a tile; all of them if rows are not walked along.
  double begun_lines(const BufferShape& buffer, const ll::Relocation& r, size_t at,
                     double bytes) const {
    const double line = static_cast<double>(rates_.line_bytes);
    const Tile source = tile_of(shape_, s_.loops, buffer, at);
    if (source.extents.empty()) return 0;
    if (walks_across(buffer, r)) return bytes / line;
    if (source.extents.back() == buffer.extents.back()) return 0;
    const double run = static_cast<double>(source.extents.back() * buffer.element_bytes);
    return std::min(bytes / line, bytes / run * first_lines);
  }

  static constexpr double first_lines = 16;  // of a run, until what comes next is loaded ahead

  /// Pieces of rows are copied one below the other, though the rows go on: nothing is loaded ahead.
  bool walks_across(const BufferShape& buffer, const ll::Relocation& r) const {
    if (r.layout.empty() || !keeps_rows(buffer, r)) return false;
    return !is_copied_in_blocks(buffer, r.layout) && cuts_rows(r.layout);
  }

  /// Along the first axis of a dimension, if it has several blocks.
  bool is_copied_in_blocks(const BufferShape& buffer,
                           const std::vector<ll::LayoutAxis>& layout) const {
    const auto codes = config_.code.stage.find(buffer.name);
    if (codes == config_.code.stage.end() || codes->second.empty()) return false;
    const auto& order = codes->second.front().copy_order;
    return std::any_of(order.begin(), order.end(), [&](const auto& block) {
      const auto axis = std::find_if(layout.begin(), layout.end(),
                                     [&](const auto& a) { return a.dimension == block.first; });
      return axis != layout.end() && parts_of(*axis) > block.second;
    });
  }

  /// Of a digit; of a whole dimension more than anyone asks for.
  int64_t parts_of(const ll::LayoutAxis& axis) const {
    const auto split = config_.split.find(axis.dimension);
    if (axis.layer.empty() || split == config_.split.end()) return INT64_MAX;
    for (const ll::Digit& digit : split->second) {
      if (digit.layer == axis.layer) return digit.parts;
    }
    return 1;
  }

  /// A line that nobody asked for ahead, from where so many bytes come.
  double found_at(double bytes) const {
    if (bytes > static_cast<double>(rates_.l3_bytes) / 2) return rates_.line_memory;
    return bytes > static_cast<double>(rates_.l2_bytes) / 2 ? rates_.line_l3 : rates_.line_l2;
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
    const double rows = rows_of(tile);
    const bool whole = tile.extents.back() == buffer.extents.back();
    // The next round of a loop along the row goes on in the same line.
    const double lines =
        whole || goes_on(buffer, at) ? row : std::ceil(row / line) * line + line / 4;
    // Of parts that lie far apart, every element is in a line of its own.
    const double apart = static_cast<double>(tile.counts.back()) * line;
    return rows * std::min(lines, apart) * crowding(buffer, tile, at);
  }

  /// Short rows that crowd each other out have to come again in every round in which they are used
  /// again, or used further.
  double crowding(const BufferShape& buffer, const Tile& tile, size_t at) const {
    const double row = static_cast<double>(tile.extents.back() * buffer.element_bytes);
    if (row >= 1024 || tile.extents.back() == buffer.extents.back()) return 1;
    const double again = std::min({7.0, 1024 / row - 1, visits(buffer, at) - 1});
    return again <= 0 ? 1 : 1 + again * crowded_out(buffer, tile);
  }

  /// Rounds of the loops from a position on that come back to lines of the same rows.
  double visits(const BufferShape& buffer, size_t at) const {
    double count = 1;
    for (size_t n = at; n < s_.replicated; ++n) {
      const int d = loops()[n].dimension;
      const bool same = !depends_on(buffer, d) || moves_along(buffer, buffer.extents.size() - 1, d);
      if (same) count *= static_cast<double>(loops()[n].parts);
    }
    return count;
  }

  /// Bytes of a tile's row; of parts that lie far apart, every element is in a line of its own.
  double touched_of_row(const BufferShape& buffer, const Tile& tile) const {
    return std::min(static_cast<double>(tile.extents.back() * buffer.element_bytes),
                    static_cast<double>(tile.counts.back() * rates_.line_bytes));
  }

  double rows_of(const Tile& tile) const {
    double rows = 1;
    for (size_t e = 0; e + 1 < tile.counts.size(); ++e) {
      rows *= static_cast<double>(tile.counts[e]);
    }
    return rows;
  }

  /// Bytes side by side in memory that are asked for one after the other, by the innermost loops:
  /// as long as those that move the buffer go along its rows, and then from row to row.
  double run_of(const BufferShape& buffer) const {
    const double endless = 1e9, line = static_cast<double>(rates_.line_bytes);
    if (is_packed(buffer, s_.replicated) || buffer.extents.empty()) return endless;
    size_t at = s_.replicated, axis = buffer.extents.size() - 1;
    double run = line;
    while (true) {
      const Tile tile = tile_of(shape_, s_.loops, buffer, at);
      if (axis + 1 == buffer.extents.size()) {
        run = static_cast<double>(tile.extents.back() * buffer.element_bytes);
      }
      if (at == 0) break;
      const int d = loops()[at - 1].dimension;
      const bool whole = tile.extents[axis] == buffer.extents[axis];
      if (depends_on(buffer, d) && !moves_along(buffer, axis, d)) {
        if (!whole || axis == 0 || !moves_along(buffer, axis - 1, d)) break;
        --axis;
        run *= static_cast<double>(loops()[at - 1].parts);
      }
      --at;
    }
    return std::max(run, line);
  }

  static bool moves_along(const BufferShape& buffer, size_t axis, int d) {
    return std::any_of(buffer.accesses.begin(), buffer.accesses.end(),
                       [&](const AccessShape& a) { return a.index[axis].coefficients[d] != 0; });
  }

  /// The part of a tile's rows that find no place in a cache, though there is room: those whose
  /// distance is a multiple of what lines are placed by.
  double crowded_out(const BufferShape& buffer, const Tile& tile) const {
    const int64_t sets = std::max<int64_t>(1, rates_.l1_bytes / rates_.line_bytes / ways);
    std::map<int64_t, int> lines;
    int64_t rows = 0;
    std::vector<int64_t> index(tile.extents.size(), 0);
    while (!index.empty() && rows < 256) {
      int64_t address = 0;
      for (size_t e = 0; e < index.size(); ++e) {
        address = address * buffer.extents[e] + index[e] * distance(tile, e);
      }
      ++lines[address * buffer.element_bytes / rates_.line_bytes % sets];
      ++rows;
      size_t e = index.size() - 1;  // rows begin at 0
      while (e > 0 && ++index[e - 1] == tile.counts[e - 1]) index[--e] = 0;
      if (e == 0) break;
    }
    int64_t out = 0;
    for (const auto& [set, count] : lines) out += std::max(0, count - ways);
    return rows == 0 ? 0 : static_cast<double>(out) / static_cast<double>(rows);
  }

  /// From one index that is touched to the next.
  static int64_t distance(const Tile& tile, size_t e) {
    return tile.counts[e] < 2 ? 1 : (tile.extents[e] - 1) / (tile.counts[e] - 1);
  }

  /// Bytes of lines that are not used up in one round, or used again in the next, and gone by then.
  double crowded_rounds() const {
    double bytes = 0;
    const double line = static_cast<double>(rates_.line_bytes);
    for (const BufferShape& buffer : shape_.buffers) {
      const Tile tile = tile_of(shape_, s_.loops, buffer, s_.replicated);
      if (tile.extents.size() < 2 || is_packed(buffer, s_.replicated)) continue;
      const double row = touched_of_row(buffer, tile);
      const bool again = s_.replicated > 0 && !is_held(buffer) &&
                         !depends_on(buffer, loops()[s_.replicated - 1].dimension);
      if (!again && (row >= line || !goes_on(buffer, s_.replicated))) continue;
      bytes +=
          crowded_out(buffer, tile) * rows_of(tile) * std::max(row, line) * rounds(s_.replicated);
    }
    return bytes;
  }

  /// In registers over some loops.
  bool is_held(const BufferShape& buffer) const {
    const auto is_register = [&](const ll::Relocation& r) {
      const machine::Region* region = machine_.find_region(r.region);
      return region && region->is_explicit;
    };
    const auto& places = buffer.is_output ? config_.acc : config_.stage;
    const auto mine = places.find(buffer.name);
    return mine != places.end() &&
           std::any_of(mine->second.begin(), mine->second.end(), is_register);
  }

  static constexpr int ways = 4;

  bool goes_on(const BufferShape& buffer, size_t at) const {
    if (at == 0 || buffer.extents.empty()) return false;
    return moves_along(buffer, buffer.extents.size() - 1, loops()[at - 1].dimension);
  }

  /// In a place of its own: a copy of an input, results that are not final.
  bool is_packed(const BufferShape& buffer, size_t at) const {
    const auto& places = buffer.is_output ? config_.acc : config_.stage;
    const auto mine = places.find(buffer.name);
    if (mine == places.end()) return false;
    return std::any_of(mine->second.begin(), mine->second.end(), [&](const ll::Relocation& r) {
      const bool own = buffer.is_output ? is_in_cache(r) : is_copy(buffer, r);
      return own && loop_at(r.from) <= at;
    });
  }

  bool is_in_cache(const ll::Relocation& r) const {
    const machine::Region* region = machine_.find_region(r.region);
    return region && !region->is_explicit;
  }

  double bytes_of_all(size_t at) const {
    double bytes = 0;
    for (const BufferShape& buffer : shape_.buffers) bytes += bytes_of(buffer, at);
    return bytes;
  }

  /// Rows of whole lines that crowd each other out come again in every round of the loops inside of
  /// which they still do.
  double crowded_bytes(const BufferShape& buffer, size_t fits) const {
    size_t at = fits;
    Tile tile = tile_of(shape_, s_.loops, buffer, at);
    while (at < s_.replicated && is_crowded(buffer, tile, at)) {
      tile = tile_of(shape_, s_.loops, buffer, ++at);
    }
    if (at == fits || tile.extents.empty()) return 0;
    return rows_of(tile) * touched_of_row(buffer, tile) * rounds_of(buffer, at, true);
  }

  bool is_crowded(const BufferShape& buffer, const Tile& tile, size_t at) const {
    const bool lines =
        !tile.extents.empty() && tile.extents.back() * buffer.element_bytes >= rates_.line_bytes;
    return lines && !is_packed(buffer, at) && crowded_out(buffer, tile) >= 0.25;
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
    if (tile.extents.back() == buffer.extents.back()) return 0;
    const double row_bytes = static_cast<double>(buffer.extents.back() * buffer.element_bytes);
    const double used = static_cast<double>(tile.extents.back() * buffer.element_bytes);
    const double rows = rows_of(tile);
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

bool cuts_rows(const std::vector<ll::LayoutAxis>& layout) {
  bool between = false;
  for (size_t n = layout.size(); n-- > 0;) {
    const bool same = layout[n].dimension == layout.back().dimension;
    if (between && same) return true;
    between = between || !same;
  }
  return false;
}

Traffic traffic_into(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
                     const Structure& structure, const Rates& rates, int64_t capacity) {
  return TrafficCounter(shape, machine, config, structure, rates).into(capacity);
}

double copying(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
               const Structure& structure, const Rates& rates) {
  return TrafficCounter(shape, machine, config, structure, rates).copied();
}

}  // namespace mdh::model
