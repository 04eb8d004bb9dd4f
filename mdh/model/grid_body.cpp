#include "mdh/model/grid_body.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "mdh/model/grid_banks.h"
#include "mdh/model/grid_edges.h"
#include "mdh/model/grid_lines.h"
#include "mdh/model/grid_loads.h"
#include "mdh/model/grid_union.h"

namespace mdh::model {
namespace {

constexpr int64_t bytes_at_once = 16;        // that a thread reads or writes
constexpr double register_bytes = 4;         // of one register
constexpr double registers_for_others = 26;  // addresses, counters
constexpr double for_an_address = 0.4;       // instructions of a load whose loops are written out
constexpr double for_a_round = 4;            // instructions: counter, branch, addresses
constexpr double for_an_axis = 5;            // to find an element's place along one more axis
// Loads of a thread that are under way: where compilers are told to keep a tile in registers, more.
constexpr double loads_in_flight = 24, loads_of_tile_in_flight = 48;
constexpr double written_out_anyway = 4;  // rounds, by compilers
constexpr double loads_under_way = 8;     // of those that a round waits for, on average
constexpr double copies_in_flight = 8;    // rounds of a plain copy that are written out
constexpr double most_turns = 32;         // that are written out where all threads take as many
constexpr double bytes_of_instruction = 16;
constexpr double most_code = 512 << 10;  // bytes, before compilers stop writing loops out
// Cycles of a point at an edge: a branch, and a load that nothing hides; few have theirs under way.
constexpr double few_at_an_edge = 48, for_one_of_few = 10, for_one_of_many = 45;
constexpr double for_one_of_last_round = 20;  // cycles of a point that may not exist
constexpr double for_a_digit = 4;             // instructions, to put two indices together

class GroupCounter {
 public:
  GroupCounter(const GridWork& work, double latency)
      : w_(work),
        shape_(work.shape),
        latency_(latency),
        straight_(straight_tile(work)),
        repeats_(volume(work.tile) / volume(straight_)) {}

  GridBody run() {
    count_operations();
    for (const BufferShape& buffer : shape_.buffers) {
      if (!buffer.is_output) count_loads(buffer);
    }
    for (const ll::Staging& s : w_.d.stagings()) {
      if (w_.is_copied(s)) count_copy(s);
    }
    count_results();
    if (asks_at_edges(w_, straight_)) count_edges();
    count_rounds();
    body_.registers += registers_for_others;
    if (lines_ > 0) body_.on_their_way /= lines_;
    return body_;
  }

 private:
  const GridRates& rates() const { return w_.rates; }
  double warps() const { return static_cast<double>(w_.warp_count); }
  double threads() const { return static_cast<double>(w_.thread_count); }
  double bytes_of_line() const { return static_cast<double>(rates().line); }

  static double bytes(const BufferShape& buffer, double elements) {
    return elements * static_cast<double>(buffer.element_bytes);
  }

  Touched box(const BufferShape& buffer, const Loops& loops) const {
    return union_of(shape_, loops, buffer);
  }

  // ---- f

  void count_operations() {
    const FunctionCost& f = shape_.function;
    const double points = volume(w_.rounds) * volume(w_.tile);
    // Others begin while those on f64 are under way.
    const double of_point = std::max({1.0, f.singles + f.doubles, f.doubles / rates().doubles});
    body_.instructions += points * of_point * warps() * longest(w_.warp());
    // Every result is a chain of what is combined into it.
    double combined = 1;
    for (const ll::NestLoop* loop : both(w_.rounds, w_.tile)) {
      if (w_.is_reduced(loop)) combined *= static_cast<double>(loop->parts);
    }
    chain_ = std::max(chain_, combined * rates().chain);
    // Loops of f run one after the other, whatever the points.
    const double slower = 1 + f.double_part * (rates().double_chain / rates().chain - 1);
    chain_ = std::max(chain_, points * longest(w_.members) * f.loop_chain * slower * rates().chain);
    body_.longest = f.uneven;
  }

  /// Points near each other take similar times, and a warp takes as long as the longest of its
  /// points: how many times the typical one, where loops say how far its points are apart.
  double longest(const Loops& loops) const {
    double apart = 0;
    for (size_t d = 0; d < shape_.dimensions.size(); ++d) {
      const int n = static_cast<int>(d);
      apart += static_cast<double>(spread(shape_, loops, n, 0) - 1) /
               static_cast<double>(shape_.dimensions[d].size);
    }
    return 1 + (shape_.function.uneven - 1) * std::min(1.0, 0.75 * std::pow(apart, 0.7));
  }

  // ---- what threads read

  /// The innermost copy that f reads; nothing: it reads the buffer itself.
  const ll::Staging* copy_of(const BufferShape& buffer) const {
    const ll::Staging* last = nullptr;
    for (const ll::Staging& s : w_.d.stagings()) {
      if (s.buffer == buffer.number && w_.is_copied(s)) last = &s;
    }
    return last;
  }

  /// Rounds in which the tile of a buffer is another one.
  double visits(const BufferShape& buffer) const {
    size_t last = w_.rounds.size();
    while (last > 0 && !depends_on(buffer, dimension_of(w_.rounds[last - 1]))) --last;
    double product = 1;
    for (size_t n = 0; n < last; ++n) product *= static_cast<double>(w_.rounds[n]->parts);
    return product;
  }

  /// The part of a tile in registers that is not there from the round before.
  double new_share(const BufferShape& buffer) const {
    for (const ll::Staging& s : w_.d.stagings()) {
      const auto roll = w_.d.code_of(s).roll;
      if (s.buffer != buffer.number || !roll) continue;
      for (const ll::NestLoop* loop : w_.rounds) {
        const std::string& dimension = shape_.dimensions[dimension_of(loop)].name;
        if (loop->layer->name != roll->layer || dimension != roll->dimension) continue;
        Loops longer = w_.tile;
        longer.push_back(loop);
        const double one = static_cast<double>(box(buffer, w_.tile).elements);
        const double all = static_cast<double>(box(buffer, longer).elements);
        const double parts = static_cast<double>(loop->parts);
        return std::clamp(all / (parts * one), 1 / parts, 1.0);
      }
    }
    return 1;
  }

  /// How an index of memory moves with a dimension where the buffer is read.
  int stride(const BufferShape& buffer, const ll::Staging* copy, int dimension) const {
    if (!copy || copy->place.layout.empty()) return stride_along(buffer, dimension);
    const size_t axis = static_cast<size_t>(copy->place.layout.back().dimension) - 1;
    if (!depends_on(buffer, dimension)) return 0;
    return moves_along(buffer, axis, dimension) ? 1 : 2;
  }

  bool lies_along_lanes(const BufferShape& buffer, const ll::Staging* copy) const {
    return w_.lanes && stride(buffer, copy, dimension_of(w_.lanes)) == 1;
  }

  double width(const BufferShape& buffer, const ll::Staging* copy) const {
    if (!lies_along_lanes(buffer, copy)) return 1;
    const int64_t most =
        std::max<int64_t>(1, bytes_at_once / std::max<int64_t>(1, buffer.element_bytes));
    if (copy) return static_cast<double>(std::clamp<int64_t>(w_.lanes->parts, 1, most));
    return lanes_at_once(buffer, w_.lanes->parts, most);
  }

  /// A record that has a place of its own is read as a whole.
  double words_of(const BufferShape& buffer) const {
    return is_own_record(buffer) ? bytes(buffer, 1) / register_bytes
                                 : static_cast<double>(buffer.words);
  }

  bool is_own_record(const BufferShape& buffer) const {
    return buffer.words > 1 &&
           std::any_of(w_.d.stagings().begin(), w_.d.stagings().end(), [&](const ll::Staging& s) {
             return s.buffer == buffer.number && ll::is_register(w_.d.machine(), s.place.region);
           });
  }

  void count_loads(const BufferShape& buffer) {
    const ll::Staging* copy = copy_of(buffer);
    const double wide = width(buffer, copy);
    const double elements = static_cast<double>(box(buffer, straight_).elements);
    const double visits = this->visits(buffer) * repeats_;
    const double words = words_of(buffer);
    const double loads = std::ceil(elements * new_share(buffer) / wide) * words * visits;
    body_.instructions += loads * (1 + for_an_address) * warps();
    const double bytes_of_word = bytes(buffer, 1) / words;
    body_.registers +=
        std::min(bytes_of_word, 8.0) * words * std::min(elements, 32.0) / register_bytes;
    if (copy) {
      const double cycles = passes_to_read(w_, *copy, std::llround(wide));
      body_.shared += loads * cycles * warps();
    } else {
      const auto at_once = static_cast<int64_t>(wide * bytes_of_word);
      // Of a record's fields some are wanted for few pairs only.
      const double usual = words > 1 ? 0.5 : 1;
      const double cycles = cycles_of_cache(w_, buffer, at_once);
      body_.sectors += usual * loads * cycles * rates().cached_sectors * warps();
      // Compilers keep such a record in memory: it is written there, and read again.
      if (is_own_record(buffer)) {
        const double sectors = static_cast<double>(rates().warp) * register_bytes /
                               static_cast<double>(rates().sector);
        body_.instructions += 2 * loads * warps();
        body_.sectors += 2 * loads * sectors * warps();
      }
      reads_ = std::max(reads_, visits);
      loads_ += loads;
      const double of_round = std::ceil(elements * new_share(buffer) / wide) * words;
      // What all threads of a warp read is one line.
      const double of_thread = std::min(
          wide * bytes_of_word, cycles * bytes_of_line() / static_cast<double>(rates().warp));
      ask(std::min(of_round * std::max(written_out(), written_out_anyway), loads_under_way) *
              of_thread,
          loads * cycles);
    }
  }

  /// Pieces of memory that hold all elements of a box.
  double pieces(const BufferShape& buffer, const Touched& box, double size) const {
    if (box.extents.empty()) return 1;
    double rows = 1;
    for (size_t e = 0; e + 1 < box.counts.size(); ++e) rows *= static_cast<double>(box.counts[e]);
    const double along = std::ceil(bytes(buffer, static_cast<double>(box.extents.back())) / size);
    return rows * std::min(along, static_cast<double>(box.counts.back()));
  }

  double sectors(const BufferShape& buffer, const Touched& box) const {
    return pieces(buffer, box, static_cast<double>(rates().sector));
  }

  /// Bytes of a thread that are on their way, of a buffer of which so many lines are read in all.
  void ask(double bytes, double lines) {
    body_.on_their_way += bytes * lines;
    lines_ += lines;
  }

  // ---- copies that the group makes

  void count_copy(const ll::Staging& s) {
    const BufferShape& buffer = shape_.buffers[s.buffer];
    const ll::StageCode code = w_.d.code_of(s);
    const Touched tile = box(buffer, w_.copied_by(s));
    const double elements = static_cast<double>(tile.elements);
    const double fills = w_.rounds_before(std::min(s.filled, s.position));
    const bool turns = !s.place.layout.empty() &&
                       s.place.layout.back().dimension != static_cast<int>(buffer.extents.size());
    const double wide = copied_at_once(buffer, w_.copied_by(s), tile, code, turns);
    const double accesses = std::ceil(elements / wide / threads());
    const bool flies = code.transport == ll::Transport::async;
    const double stores = turns ? wide : 1;
    const double axes = static_cast<double>(tile.extents.size());
    const bool is_even = std::fmod(elements / wide, threads()) == 0;
    double places = is_even || axes < 2 ? 0 : (axes - 1) * for_an_axis;
    if (is_dealt_by_digits(w_, buffer, w_.copied_by(s))) {
      places += for_a_digit * digits_of_places(buffer, w_.copied_by(s));
    }
    const double instructions = accesses * ((flies ? 1 : 1 + stores) + 1.5 + places) + 12;
    body_.instructions += fills * instructions * warps();
    body_.shared += fills * accesses * warps() * passes_to_store(w_, s, static_cast<int64_t>(wide));
    body_.sectors += fills * bytes(buffer, elements) / static_cast<double>(rates().sector) *
                     (wide * static_cast<double>(buffer.element_bytes) < 16 ? 1.5 : 1);
    body_.shared_bytes += bytes(buffer, elements_of(w_, s)) * static_cast<double>(code.depth);
    if (code.transport == ll::Transport::registers) {
      // Some of them twice: while they are stored, the next ones arrive.
      body_.registers += 1.5 * bytes(buffer, accesses * wide) / register_bytes;
    }
    const bool runs_ahead = code.transport != ll::Transport::plain;
    if (!runs_ahead) {
      const double turns = is_even && accesses <= most_turns ? accesses : copies_in_flight;
      body_.waiting_for_copies += fills * (std::ceil(accesses / turns) - 1) * latency_;
    }
    const int64_t ahead = runs_ahead ? std::max<int64_t>(1, code.depth - 1) : 0;
    ask(bytes(buffer, elements) / threads() *
            static_cast<double>(std::max<int64_t>(1, code.depth - 1)),
        fills * bytes(buffer, elements) / bytes_of_line());
    if (fills >= body_.fills) {
      body_.ahead = body_.fills == fills ? std::min(body_.ahead, ahead) : ahead;
      body_.fills = fills;
    }
    barriers_ = std::max(barriers_, fills * (code.depth > 1 ? 1 : 2));
  }

  /// Elements: where rows of the source and of the tile are whole multiples.
  double copied_at_once(const BufferShape& buffer, const Loops& copied, const Touched& tile,
                        const ll::StageCode& code, bool turns) const {
    const int64_t limit = code.width > 0 ? code.width : bytes_at_once;
    if (tile.extents.empty() || buffer.accesses.size() > 1) return 1;
    if (turns && code.transport != ll::Transport::registers) return 1;
    if (is_dealt_by_digits(w_, buffer, copied)) return 1;
    int64_t elements = std::max<int64_t>(1, limit / buffer.element_bytes);
    const auto divides = [&](int64_t extent) { return extent % elements == 0; };
    while (elements > 1 && !(divides(tile.extents.back()) && divides(buffer.extents.back()))) {
      elements /= 2;
    }
    return static_cast<double>(elements);
  }

  // ---- results

  double results_of_thread() const {
    double results = 1;
    for (const ll::NestLoop* loop : w_.tile) {
      if (!w_.is_summed(loop)) results *= static_cast<double>(loop->parts);
    }
    return results;
  }

  /// Rounds after which results leave a thread: those of loops that do not reduce.
  double results_written() const {
    double rounds = 1;
    bool stays = true;
    for (size_t n = w_.rounds.size(); n-- > 0;) {
      stays = stays && w_.is_summed(w_.rounds[n]);
      if (!stays) rounds *= static_cast<double>(w_.rounds[n]->parts);
    }
    return rounds;
  }

  /// Rounds that do not reduce, inside of where results gather in registers: it has all of them.
  double rounds_held() const {
    double held = 1;
    for (const ll::Run& run : w_.d.runs()) {
      if (!is_in_registers(w_, run)) continue;
      double rounds = 1;
      for (const ll::NestLoop* loop : w_.rounds) {
        if (starts_outside(run, loop) && !w_.is_summed(loop)) {
          rounds *= static_cast<double>(loop->parts);
        }
      }
      held = std::max(held, rounds);
    }
    return held;
  }

  bool starts_outside(const ll::Run& run, const ll::NestLoop* loop) const {
    const auto& nest = w_.d.outputs().loops;
    const auto same = [&](const ll::NestLoop& other) { return other.level == loop->level; };
    return std::find_if(nest.begin(), nest.end(), same) - nest.begin() >= run.start;
  }

  bool are_kept() const {
    return std::any_of(w_.d.runs().begin(), w_.d.runs().end(),
                       [&](const ll::Run& run) { return is_in_registers(w_, run); });
  }

  void count_results() {
    const double results = results_of_thread(), written = results_written();
    const double held = rounds_held();
    body_.results = shape_.function.loop_chain > 0 ? 1 : results / repeats_;
    for (const BufferShape& buffer : shape_.buffers) {
      if (!buffer.is_output) continue;
      body_.registers += bytes(buffer, results) / register_bytes;
      const double wide = width(buffer, nullptr);
      const double stores = std::ceil(results / wide) * written;
      body_.instructions += stores * 1.5 * warps();
      const auto at_once = static_cast<int64_t>(wide * static_cast<double>(buffer.element_bytes));
      const double sectors = stores * sectors_of_store(w_, buffer, at_once) * warps();
      body_.sectors += sectors;
      body_.stored += sectors;
      body_.side_by_side = std::min(body_.side_by_side, bytes_of_store(w_, buffer, at_once));
      if (!are_kept()) {
        count_updates(buffer, results);
      } else if (held > 1) {
        // No register has a number that a loop could count up.
        body_.registers += bytes(buffer, results * (held - 1)) / register_bytes;
        count_updates_of_stack(buffer, results * held);
      }
    }
    count_meetings(results * written);
  }

  /// Results that have no place in registers are read and written by every combination.
  void count_updates(const BufferShape& buffer, double results) {
    double combined = 1;
    for (const ll::NestLoop* loop : both(w_.rounds, w_.tile)) {
      if (w_.is_reduced(loop)) combined *= static_cast<double>(loop->parts);
    }
    if (combined <= 1) return;
    const double touches = 2 * combined * results;
    body_.instructions += touches * warps();
    body_.sectors += touches * sectors(buffer, box(buffer, w_.warp())) * warps();
    chain_ = std::max(chain_, combined * rates().l2_latency);
  }

  /// Each thread has an array of its own, which lies side by side with those of its warp.
  void count_updates_of_stack(const BufferShape& buffer, double results) {
    double combined = 1;
    for (const ll::NestLoop* loop : w_.rounds) {
      if (w_.is_reduced(loop)) combined *= static_cast<double>(loop->parts);
    }
    const double touches = 2 * combined * results * bytes(buffer, 1) / register_bytes;
    const double of_warp = static_cast<double>(rates().warp) * register_bytes;
    body_.instructions += touches * warps();
    body_.stored += touches / 2 * of_warp / static_cast<double>(rates().sector) * warps();
    body_.sectors += touches * rates().cached_sectors * warps();
  }

  /// Threads whose parts belong together: by exchanges in a warp, else in steps through memory.
  void count_meetings(double results) {
    for (const ll::NestLoop* loop : w_.members) {
      const bool scanned = shape_.dimensions[dimension_of(loop)].kind == DimensionKind::scanned;
      if (!w_.is_reduced(loop) && !scanned) continue;
      const double steps = std::ceil(std::log2(static_cast<double>(loop->parts)));
      const auto how = ll::combination_of(w_.d.program(), *loop);
      if (how == ll::Combination::shuffle && stays_in_warp(w_, *loop)) {
        body_.instructions += 3 * steps * results * warps();
        meetings_ += steps * (results * 2 + rates().shared_latency);
      } else {
        body_.shared += 2 * steps * results * warps();
        meetings_ += steps * (rates().barrier + 2 * rates().shared_latency + results * 4);
        body_.shared_bytes += results * threads() * 4;
      }
    }
  }

  // ---- edges

  void count_edges() {
    constexpr double slower = 1.25, more_registers = 1.5;
    body_.instructions *= slower;
    body_.registers *= more_registers;
  }

  // ---- loops

  /// How many rounds of the innermost loop are one body.
  double written_out() const {
    if (w_.rounds.empty()) return 1;
    const ll::NestLoop* inner = w_.rounds.back();
    const auto& unroll = w_.d.program().code.kernel.unroll;
    const std::string dimension = shape_.dimensions[dimension_of(inner)].name;
    for (const auto& [level, count] : unroll) {
      const bool same = level.dimension == dimension && level.layer == inner->layer->name;
      if (same) return static_cast<double>(std::clamp<int64_t>(count, 1, inner->parts));
    }
    return 1;
  }

  void count_rounds() {
    const double rounds = volume(w_.rounds) / written_out() * repeats_;
    const double together = repeats_ > 1 ? 1 : written_out();
    body_.instructions += rounds * for_a_round * warps();
    body_.instructions += barriers_ * warps();
    // What a thread reads of memory is on its way for all rounds that are written out together.
    const double at_once = has_named_tile(w_) ? loads_of_tile_in_flight : loads_in_flight;
    const double batches = reads_ > 0 ? std::max({1.0, reads_ / together, loads_ / at_once}) : 0;
    const double from_shared = body_.shared_bytes > 0 ? rounds * rates().shared_latency : 0;
    body_.waiting = std::max(chain_, std::max(batches * latency_, from_shared)) +
                    barriers_ * rates().barrier + meetings_ + latency_ + body_.waiting_for_copies;
    if (sums_end_inside(w_, straight_)) {
      body_.waiting += volume(straight_) * repeats_ * for_one_of_last_round;
    }
    const double first = body_.fills > 0 ? latency_ : 0;
    body_.together = barriers_ * rates().barrier + meetings_ + first + body_.waiting_for_copies;
    if (has_edges(w_, straight_)) body_.border = reads_ * latency_;
    const double points = points_one_by_one(w_, straight_);
    const double for_one = points <= few_at_an_edge ? for_one_of_few : for_one_of_many;
    body_.border = std::max(body_.border, volume(w_.rounds) * repeats_ * points * for_one);
    count_code();
  }

  void count_code() {
    constexpr double for_edges = 4;
    const double ends = asks_at_edges(w_, straight_) ? for_edges : 1;
    const double points = volume(straight_) * repeats_ * written_out() * ends;
    const FunctionCost& f = shape_.function;
    body_.rounds = volume(w_.rounds) / written_out();
    body_.whole_code = std::min(most_code, (points + 1) * f.code * bytes_of_instruction);
    body_.code = std::min(body_.whole_code, points * f.usual_code * bytes_of_instruction);
  }

  const GridWork& w_;
  const Shape& shape_;
  double latency_;
  GridBody body_;
  double chain_ = 0;     // cycles
  Loops straight_;       // points of the tile that are straight code
  double repeats_;       // how often that is run for a tile
  double reads_ = 0;     // rounds that read memory which is not copied
  double loads_ = 0;     // instructions of a thread that do
  double lines_ = 0;     // of memory, read
  double barriers_ = 0;  // of the group
  double meetings_ = 0;  // cycles
};

}  // namespace

GridBody grid_body(const GridWork& work, double latency) {
  return GroupCounter(work, latency).run();
}

}  // namespace mdh::model
