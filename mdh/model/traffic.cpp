#include "mdh/model/traffic.h"

#include <algorithm>
#include <cmath>

namespace mdh::model {

class TrafficCounter {
 public:
  explicit TrafficCounter(const Work& work)
      : w_(work), shape_(work.shape), s_(work.structure), rates_(work.rates) {}

  Traffic into(size_t memory, While when) const {
    const double room = room_in(memory);
    size_t fits = s_.replicated;
    const bool first = memory == 0;
    while (fits > 0 && bytes_of_all(fits - 1) <= room) --fits;
    Traffic traffic;
    if (fits == 0 && stays_from_run_to_run(memory)) return traffic;
    if (first && when == While::computing) traffic.bytes += crowded_rounds();
    const double line = static_cast<double>(rates_.line_bytes);
    double in_turn = 0, lines = 0;
    for (const BufferShape& buffer : shape_.buffers) {
      if (is_brought_by_copy(buffer, memory) != (when == While::copying)) continue;
      const double bytes = bytes_of(buffer, fits);
      double moved = bytes * rounds_of(buffer, fits, bytes <= room / 2);
      // Neighbouring tiles share what lies between them.
      if (fits > 0) moved = std::min(moved, bytes_of(buffer, fits - 1) * rounds(fits - 1));
      if (first) moved = std::max(moved, crowded_bytes(buffer, fits));
      if (buffer.is_output) moved *= 2;
      traffic.bytes += moved;
      traffic.page_misses += moved / line * misses(buffer, fits);
      traffic.lines += std::min(moved / run_of(buffer) * first_lines, moved / line);
      in_turn += rows_in_turn(buffer, moved);
      lines += moved / line;
    }
    // Of many rows some are lost now and then.
    if (!first) traffic.lines += std::max(0.0, in_turn - followed_easily) * lost * lines;
    return traffic;
  }

  double copied() const {
    double time = 0;
    for (const ll::Staging& s : w_.d.stagings()) {
      if (is_copy_in_memory(s)) time += copied(shape_.buffers[s.buffer], s);
    }
    return time;
  }

 private:
  const Loops& loops() const { return s_.loops; }

  double room_in(size_t memory) const {
    return 0.75 * static_cast<double>(rates_.share_of(rates_.memories[memory]));
  }

  /// All that a core touches has room there: the next run finds it. A core that has several shares
  /// touches as much in each of them, unless they share a buffer.
  bool stays_from_run_to_run(size_t memory) const {
    double shares = 1, all = 0;
    for (const ll::NestLoop* loop : s_.cores) shares *= static_cast<double>(loop->parts);
    for (const BufferShape& buffer : shape_.buffers) {
      all += static_cast<double>(touched(shape_, s_.whole, buffer, 0).elements) *
             static_cast<double>(buffer.element_bytes);
    }
    const double of_core = std::ceil(shares / static_cast<double>(rates_.cores));
    const double sharers = rates_.memories[memory].is_shared ? rates_.cores : 1;
    return std::min(bytes_of_all(0) * of_core, std::max(all / sharers, bytes_of_all(0))) <=
           room_in(memory);
  }

  /// A copy that has room there: what comes is what it reads. Nothing is computed meanwhile.
  bool is_brought_by_copy(const BufferShape& buffer, size_t memory) const {
    if (buffer.is_output) return false;
    return std::any_of(w_.d.stagings().begin(), w_.d.stagings().end(), [&](const ll::Staging& s) {
      if (s.buffer != buffer.number || !is_copy_in_memory(s)) return false;
      const double elements =
          static_cast<double>(box(buffer, s_.loops_before(s.position)).elements);
      return elements * static_cast<double>(buffer.element_bytes) <= room_in(memory);
    });
  }

  /// What the core's loops from a position on touch. Many questions are about the same.
  struct Remembered {
    std::optional<Touched> box;
    std::optional<double> crowded_out;
  };

  Remembered& remembered(const BufferShape& buffer, size_t at) const {
    const size_t positions = loops().size() + 1;
    if (remembered_.empty()) remembered_.resize(shape_.buffers.size() * positions);
    return remembered_[static_cast<size_t>(&buffer - shape_.buffers.data()) * positions + at];
  }

  const Touched& box(const BufferShape& buffer, size_t at) const {
    std::optional<Touched>& known = remembered(buffer, at).box;
    if (!known) known = touched(shape_, loops(), buffer, at);
    return *known;
  }

  bool is_before_cores(const ll::Staging& s) const {
    return std::any_of(s_.whole.begin() + s.position, s_.whole.end(),
                       [](const ll::NestLoop* loop) { return loop->is_parallel(); });
  }

  double copied(const BufferShape& buffer, const ll::Staging& r) const {
    const size_t at = s_.loops_before(r.position);
    double elements = static_cast<double>(box(buffer, at).elements);
    if (is_before_cores(r)) {
      elements = static_cast<double>(touched(shape_, s_.whole, buffer, 0).elements) /
                 static_cast<double>(rates_.cores);
    } else {
      elements *= rounds(at);
    }
    const bool rows = keeps_rows(buffer, r);
    const double bytes = elements * static_cast<double>(buffer.element_bytes);
    const double tile = bytes / rounds(at);
    const MemoryRate& source = holder_of(tile);
    // What is near is written faster than it is read.
    const double rate = &source == &rates_.memories[1] ? 4 * source.rate : source.rate;
    // Its new place is written; lines that are in no cache are read before, and written back.
    const double times = &source == &rates_.farthest() ? 3 : 2;
    const double lanes =
        static_cast<double>(std::max<int64_t>(1, rates_.vector_bytes / buffer.element_bytes));
    const double begun = begun_lines(buffer, r, at, bytes) * holder_of(bytes_of(buffer, 0)).line;
    return elements * (rows ? 4 * rates_.load / lanes : rates_.copied) + times * bytes / rate +
           begun;
  }

  /// Lines at the beginning of the rows of a tile; all of them if rows are not walked along.
  double begun_lines(const BufferShape& buffer, const ll::Staging& r, size_t at,
                     double bytes) const {
    const double line = static_cast<double>(rates_.line_bytes);
    const Touched& source = box(buffer, at);
    if (source.extents.empty()) return 0;
    if (walks_across(buffer, r)) return bytes / line;
    if (source.extents.back() == buffer.extents.back()) return 0;
    const double run = static_cast<double>(source.extents.back() * buffer.element_bytes);
    return std::min(bytes / line, bytes / run * first_lines);
  }

  static constexpr double first_lines = 16;  // of a run, until what comes next is loaded ahead

  /// Of rows that a core walks along in turn, as many as it loads ahead, with ease or at all. Measured
  /// on the B of MatMul 16,4096,25088, two cores of AVX-512: 8 and 16 rows take 34 and 32 ms, 20, 24
  /// and 28 of them 35, 39 and 43, 32 and 64 of them 86 and 107.
  static constexpr double followed_easily = 16, followed_rows = 28;

  /// The part of all lines that is lost for each row more.
  static constexpr double lost = 0.02;

  /// Rows that are walked along in turn, as far as they come from where so many bytes do: the others
  /// are those that an earlier round has left nearby.
  double rows_in_turn(const BufferShape& buffer, double moved) const {
    if (buffer.extents.empty() || is_packed(buffer, s_.replicated)) return 0;
    size_t at = s_.replicated;
    while (at > 0 && !goes_on(buffer, at)) --at;
    if (at == 0) return 0;
    const Touched& tile = box(buffer, at);
    const double bytes = rows_of(tile) * touched_of_row(buffer, tile) * rounds(at);
    const double passes = buffer.is_output ? 2 : 1;
    return rows_of(tile) * std::min(1.0, moved / passes / bytes);
  }

  /// Pieces of rows are copied one below the other, though the rows go on: nothing is loaded ahead.
  bool walks_across(const BufferShape& buffer, const ll::Staging& r) const {
    return keeps_rows(buffer, r) && !is_copied_in_blocks(buffer, r) && cuts_rows(r.place.layout);
  }

  /// Along the first axis of a dimension, if it has several blocks.
  bool is_copied_in_blocks(const BufferShape& buffer, const ll::Staging& r) const {
    const auto order = w_.d.code_of(r).copy_order;
    return std::any_of(order.begin(), order.end(), [&](const auto& block) {
      const auto axis = std::find_if(r.place.layout.begin(), r.place.layout.end(),
                                     [&](auto& a) { return walks_along(buffer, block.first, a); });
      return axis != r.place.layout.end() && parts_of(block.first, *axis) > block.second;
    });
  }

  bool walks_along(const BufferShape& buffer, const std::string& dimension,
                   const ll::Axis& axis) const {
    const int d = shape_.dimension(dimension);
    if (d < 0) return dimension == std::to_string(axis.dimension);
    return moves_along(buffer, static_cast<size_t>(axis.dimension) - 1, d);
  }

  /// Of a digit; of a whole dimension more than anyone asks for.
  int64_t parts_of(const std::string& dimension, const ll::Axis& axis) const {
    if (axis.layer.empty()) return INT64_MAX;
    for (const ll::NestLoop* loop : s_.whole) {
      const bool same = dimension_of(loop) == shape_.dimension(dimension);
      if (same && w_.d.program().layers[loop->level.layer] == axis.layer) return loop->parts;
    }
    return 1;
  }

  /// The nearest memory behind the first that has room for so many bytes and as many others.
  const MemoryRate& holder_of(double bytes) const {
    const auto has_room = [&](const MemoryRate& m) {
      return bytes <= static_cast<double>(m.bytes) / 2;
    };
    const auto& all = rates_.memories;
    const auto found = std::find_if(all.begin() + 1, all.end() - 1, has_room);
    return *found;
  }

  /// The last axis of the tile is the last one of the buffer.
  static bool keeps_rows(const BufferShape& buffer, const ll::Staging& r) {
    return r.place.layout.empty() ||
           r.place.layout.back().dimension == static_cast<int>(buffer.extents.size());
  }

  double rounds(size_t before) const {
    double product = 1;
    for (size_t n = 0; n < before; ++n) product *= static_cast<double>(loops()[n]->parts);
    return product;
  }

  /// A packed tile has no holes; otherwise memory comes in lines.
  double bytes_of(const BufferShape& buffer, size_t at) const {
    const Touched& tile = box(buffer, at);
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
  double crowding(const BufferShape& buffer, const Touched& tile, size_t at) const {
    const double row = static_cast<double>(tile.extents.back() * buffer.element_bytes);
    if (row >= 1024 || tile.extents.back() == buffer.extents.back()) return 1;
    const double again = std::min({7.0, 1024 / row - 1, visits(buffer, at) - 1});
    return again <= 0 ? 1 : 1 + again * crowded_out(buffer, at);
  }

  /// Rounds of the loops from a position on that come back to lines of the same rows.
  double visits(const BufferShape& buffer, size_t at) const {
    double count = 1;
    for (size_t n = at; n < s_.replicated; ++n) {
      const int d = dimension_of(loops()[n]);
      const bool same = !depends_on(buffer, d) || moves_along(buffer, buffer.extents.size() - 1, d);
      if (same) count *= static_cast<double>(loops()[n]->parts);
    }
    return count;
  }

  /// Bytes of a tile's row; of parts that lie far apart, every element is in a line of its own.
  double touched_of_row(const BufferShape& buffer, const Touched& tile) const {
    return std::min(static_cast<double>(tile.extents.back() * buffer.element_bytes),
                    static_cast<double>(tile.counts.back() * rates_.line_bytes));
  }

  double rows_of(const Touched& tile) const {
    double rows = 1;
    for (size_t e = 0; e + 1 < tile.counts.size(); ++e) {
      rows *= static_cast<double>(tile.counts[e]);
    }
    return rows;
  }

  /// Bytes side by side in memory that are asked for one after the other, by the innermost loops:
  /// as long as those that move the buffer go along its rows, and then from row to row. A few rows
  /// may take turns: each of them is loaded ahead.
  double run_of(const BufferShape& buffer) const {
    const double endless = 1e9, line = static_cast<double>(rates_.line_bytes);
    if (is_packed(buffer, s_.replicated) || buffer.extents.empty()) return endless;
    size_t at = s_.replicated, axis = buffer.extents.size() - 1;
    double run = line;
    while (true) {
      const Touched& tile = box(buffer, at);
      if (axis + 1 == buffer.extents.size()) {
        run = static_cast<double>(tile.extents.back() * buffer.element_bytes);
      }
      if (at == 0) break;
      const int d = dimension_of(loops()[at - 1]);
      const bool whole = tile.extents[axis] == buffer.extents[axis];
      const bool is_followed = rows_of(box(buffer, at - 1)) <= followed_rows;
      if (depends_on(buffer, d) && !moves_along(buffer, axis, d) && !(is_followed && !whole)) {
        if (!whole || axis == 0 || !moves_along(buffer, axis - 1, d)) break;
        --axis;
        run *= static_cast<double>(loops()[at - 1]->parts);
      }
      --at;
    }
    return std::max(run, line);
  }

  /// The part of a tile's rows that find no place in a cache, though there is room: those whose
  /// distance is a multiple of what lines are placed by.
  double crowded_out(const BufferShape& buffer, size_t at) const {
    std::optional<double>& known = remembered(buffer, at).crowded_out;
    if (!known) known = count_crowded_out(buffer, box(buffer, at));
    return *known;
  }

  double count_crowded_out(const BufferShape& buffer, const Touched& tile) const {
    const int64_t sets = std::max<int64_t>(1, rates_.nearest().bytes / rates_.line_bytes / ways);
    std::vector<int> lines(static_cast<size_t>(sets), 0);
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
    for (const int count : lines) out += std::max(0, count - ways);
    return rows == 0 ? 0 : static_cast<double>(out) / static_cast<double>(rows);
  }

  /// From one index that is touched to the next.
  static int64_t distance(const Touched& tile, size_t e) {
    return tile.counts[e] < 2 ? 1 : (tile.extents[e] - 1) / (tile.counts[e] - 1);
  }

  /// Bytes of lines that are not used up in one round, or used again in the next, and gone by then.
  double crowded_rounds() const {
    double bytes = 0;
    const double line = static_cast<double>(rates_.line_bytes);
    for (const BufferShape& buffer : shape_.buffers) {
      const Touched& tile = box(buffer, s_.replicated);
      if (tile.extents.size() < 2 || is_packed(buffer, s_.replicated)) continue;
      const double row = touched_of_row(buffer, tile);
      const bool again = s_.replicated > 0 && !is_held(buffer) &&
                         !depends_on(buffer, dimension_of(loops()[s_.replicated - 1]));
      if (!again && (row >= line || !goes_on(buffer, s_.replicated))) continue;
      bytes += crowded_out(buffer, s_.replicated) * rows_of(tile) * std::max(row, line) *
               rounds(s_.replicated);
    }
    return bytes;
  }

  /// In registers over some loops.
  bool is_held(const BufferShape& buffer) const {
    const auto is_there = [&](const ll::Place& place) {
      return ll::is_register(w_.d.machine(), place.region);
    };
    if (buffer.is_output) {
      return std::any_of(w_.d.runs().begin(), w_.d.runs().end(), [&](const ll::Run& run) {
        return run.start >= 0 && is_there(run.places[buffer.number]);
      });
    }
    return std::any_of(w_.d.stagings().begin(), w_.d.stagings().end(), [&](const ll::Staging& s) {
      return s.buffer == buffer.number && is_there(s.place);
    });
  }

  static constexpr int ways = 4;

  bool goes_on(const BufferShape& buffer, size_t at) const {
    if (at == 0 || buffer.extents.empty()) return false;
    return moves_along(buffer, buffer.extents.size() - 1, dimension_of(loops()[at - 1]));
  }

  /// In a place of its own: a copy of an input, results that are not final.
  bool is_packed(const BufferShape& buffer, size_t at) const {
    if (buffer.is_output) {
      return std::any_of(w_.d.runs().begin(), w_.d.runs().end(), [&](const ll::Run& run) {
        return run.start >= 0 && !run.in_registers && s_.loops_before(run.start) <= at;
      });
    }
    return std::any_of(w_.d.stagings().begin(), w_.d.stagings().end(), [&](const ll::Staging& s) {
      return s.buffer == buffer.number && is_copy_in_memory(s) && s_.loops_before(s.position) <= at;
    });
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
    while (at < s_.replicated && is_crowded(buffer, at)) ++at;
    const Touched& tile = box(buffer, at);
    if (at == fits || tile.extents.empty()) return 0;
    return rows_of(tile) * touched_of_row(buffer, tile) * rounds_of(buffer, at, true);
  }

  bool is_crowded(const BufferShape& buffer, size_t at) const {
    const Touched& tile = box(buffer, at);
    const bool lines =
        !tile.extents.empty() && tile.extents.back() * buffer.element_bytes >= rates_.line_bytes;
    return lines && !is_packed(buffer, at) && crowded_out(buffer, at) >= 0.25;
  }

  /// How often the tile has to come. What does not move with the loops right around it stays.
  double rounds_of(const BufferShape& buffer, size_t at, bool stays) const {
    size_t n = at;
    while (stays && n > 0 && !depends_on(buffer, dimension_of(loops()[n - 1]))) --n;
    return rounds(n);
  }

  /// Rows that are far apart lie on pages of their own.
  double misses(const BufferShape& buffer, size_t at) const {
    if (is_packed(buffer, at) || buffer.extents.size() < 2) return 0;
    const Touched& tile = box(buffer, at);
    if (tile.extents.back() == buffer.extents.back()) return 0;
    const double row_bytes = static_cast<double>(buffer.extents.back() * buffer.element_bytes);
    const double used = static_cast<double>(tile.extents.back() * buffer.element_bytes);
    const double rows = rows_of(tile);
    if (rows < 48 || row_bytes < 2048) return 0;
    return std::clamp(1024.0 / used, 0.0, 1.0);
  }

  const Work& w_;
  const Shape& shape_;
  const Structure& s_;
  const Rates& rates_;
  mutable std::vector<Remembered> remembered_;
};

bool cuts_rows(const ll::Layout& layout) {
  bool between = false;
  for (size_t n = layout.size(); n-- > 0;) {
    const bool same = layout[n].dimension == layout.back().dimension;
    if (between && same) return true;
    between = between || !same;
  }
  return false;
}

Movement::Movement(const Work& work) : counter_(std::make_unique<TrafficCounter>(work)) {}
Movement::~Movement() = default;

Traffic Movement::into(size_t memory, While when) const { return counter_->into(memory, when); }

double Movement::bytes_into(size_t memory) const {
  return into(memory, While::computing).bytes + into(memory, While::copying).bytes;
}

double Movement::copying() const { return counter_->copied(); }

}  // namespace mdh::model
