#include "mdh/ll/grid_config.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/grid_levels.h"
#include "mdh/ll/grid_shape.h"
#include "mdh/ll/roles.h"

namespace mdh::ll {
namespace {

constexpr int64_t least_points = 4096;       // with fewer, any configuration takes microseconds
constexpr int64_t threads_of_group = 256;    // enough for every multiprocessor to hide its waiting
constexpr int64_t groups_wanted = 120;       // as many as large devices run at once
constexpr int64_t groups_at_once = 8;        // that a multiprocessor runs
constexpr int64_t most_groups_of_sum = 512;  // whose results meet
constexpr int64_t least_terms = 16;          // that a thread adds before it meets others
constexpr int64_t rounds_at_once = 8;        // of other loops
constexpr int64_t bytes_at_once = 16;        // that a thread reads
constexpr int64_t most_pieces = 96;          // of a sum, before groups share it
constexpr int64_t terms_at_once = 16;        // of a sum whose operands are copied
constexpr int64_t most_at_once = 64;         // of a short one
constexpr int64_t most_written_out = 32;     // terms of short sums, in straight code
constexpr int64_t most_straight = 4096;      // operations
constexpr int64_t most_result_bytes = 512;   // of a thread, in registers
constexpr int64_t bytes_of_scan = 64;        // that a thread sums up before it tells others

/// How much a group asks for. What a machine does not allow is tried again with less.
struct Ambition {
  int64_t threads_of_sum = 2 * threads_of_group;
  int64_t threads = threads_of_group;
  int64_t results = 64;  // of a thread in a tile
  int64_t depth = 2;     // pieces of a sum that are copied at the same time
  int64_t terms_of_short_sum = most_at_once;
};

const Ambition ambitions[] = {{}, {256, 256, 16, 1, 16}, {128, 128, 4, 1, 16}, {64, 64, 4, 1, 8}};

class GridRules {
 public:
  GridRules(const hl::Program& p, const machine::Machine& m, const Ambition& ambition)
      : shape_(p), machine_(m), ambition_(ambition), roles_(roles_of(m)), levels_(shape_, roles_) {}

  std::optional<Config> run() {
    if (roles_.threads.empty() || roles_.registers.empty() || roles_.shared.empty() ||
        !shape_.is_known() || shape_.points() < least_points) {
      return std::nullopt;
    }
    kept_ = sorted(shape_.those([&](int d) { return shape_.is_kept(d); }));
    reduced_ = sorted(shape_.those([&](int d) { return shape_.is_reduced(d); }));
    scanned_ = shape_.those([&](int d) { return !shape_.is_kept(d) && !shape_.is_reduced(d); });
    if (!find_operands() || !tiles()) {
      if (!shares_scan() && !shares_sums()) one_thread_each();
    }
    return finished();
  }

 private:
  /// Those that walk along more bytes first; of others the last ones, which are mostly nearer.
  std::vector<int> sorted(std::vector<int> dimensions) const {
    std::reverse(dimensions.begin(), dimensions.end());
    std::stable_sort(dimensions.begin(), dimensions.end(),
                     [&](int a, int b) { return shape_.along(a) > shape_.along(b); });
    return dimensions;
  }

  // ---- results that share operands

  /// Two sides: kept dimensions that one input knows and another does not, and the reverse. The
  /// first side has the dimension along which results lie side by side.
  bool find_operands() {
    if (kept_.size() < 2 || reduced_.empty() || !scanned_.empty()) return false;
    for (const int x : kept_) {
      columns_ = {x};
      rows_.clear();
      for (const int d : kept_) {
        if (d == x) continue;
        if (shape_.are_apart(x, d)) {
          rows_.push_back(d);
        } else if (shape_.is_alike(x, d)) {
          columns_.push_back(d);
        }
      }
      if (!rows_.empty()) return shape_.volume(reduced_) >= terms_at_once;
    }
    return false;
  }

  /// Threads and registers along both sides; the sum in pieces whose operands are copied. False if
  /// there is too little of something: then sums are shared, or there is nothing to gain.
  bool tiles() {
    const int64_t results = shape_.volume(kept_);
    if (results < 64 * threads_of_group / 4) return false;
    fill_threads(columns_, 16);
    fill_threads(rows_, ambition_.threads / 16);
    const int64_t threads = levels_.count_on(roles_.threads) * warps();
    const auto [across, down] = registers_for(results / threads);
    fill_registers(rows_, down);
    fill_registers(columns_, across);
    for (const int d : reversed(kept_)) levels_.take_all(roles_.groups, d);
    split_sum_over_groups();
    copy_in_pieces();
    return true;
  }

  int64_t warps() const {
    const std::string layer = levels_.warp_layer();
    return layer.empty() ? 1 : levels_.count_on(layer);
  }

  /// As many threads along the dimensions of a side as that; the first ones are fastest.
  void fill_threads(const std::vector<int>& side, int64_t wanted) {
    for (const int d : side) wanted = still_wanted(d, wanted, wanted);
  }

  /// Takes threads along a dimension, as many as it may have: how many are wanted along others.
  int64_t still_wanted(int d, int64_t parts, int64_t wanted) {
    const int64_t before = levels_.rest(d);
    levels_.take_threads(d, parts);
    return std::max<int64_t>(1, wanted * levels_.rest(d) / std::max<int64_t>(1, before));
  }

  /// Large tiles need fewer loads for each operation, small ones leave more groups.
  std::pair<int64_t, int64_t> registers_for(int64_t results_of_thread_slots) const {
    static const std::vector<std::pair<int64_t, int64_t>> tiles = {{8, 8}, {4, 8}, {4, 4},
                                                                   {2, 4}, {2, 2}, {1, 2}};
    int64_t bytes = 0;
    for (const hl::BufferView& output : shape_.program.outputs) {
      bytes += static_cast<int64_t>(scalar::bytes_of(output.type));
    }
    for (const auto& [across, down] : tiles) {
      const int64_t results = across * down;
      const bool fits = results <= ambition_.results && results * bytes <= most_result_bytes;
      if (fits && results_of_thread_slots / results >= groups_wanted) return {across, down};
    }
    return {1, 1};
  }

  void fill_registers(const std::vector<int>& side, int64_t wanted) {
    for (const int d : side) {
      const int64_t parts = std::min(wanted, power_below(levels_.rest(d)));
      levels_.take(roles_.registers, d, parts);
      wanted /= std::max<int64_t>(1, parts);
    }
  }

  void split_sum_over_groups() {
    const int64_t groups = levels_.count_on(roles_.groups);
    const int longest = *std::max_element(reduced_.begin(), reduced_.end(), [&](int a, int b) {
      return levels_.rest(a) < levels_.rest(b);
    });
    if (shape_.volume(reduced_) < most_pieces * terms_at_once) return;
    const int64_t parts = power_below(std::max<int64_t>(1, 4 * groups_wanted / groups));
    levels_.take(roles_.groups, longest,
                 std::min(parts, power_below(std::max<int64_t>(
                                     1, levels_.rest(longest) / (4 * terms_at_once)))));
  }

  /// The innermost piece of the sum is in the loops of the inner layer, and its operands in the
  /// memory of the group.
  void copy_in_pieces() {
    int64_t piece = 1;
    for (const int d : reduced_) {
      // Not much more than wanted is better than a rest.
      const bool is_short = shape_.volume(reduced_) <= ambition_.terms_of_short_sum;
      const int64_t wanted =
          is_short ? levels_.rest(d) : std::max<int64_t>(1, terms_at_once / piece);
      const int64_t parts = levels_.rest(d) < 2 * wanted ? levels_.rest(d) : wanted;
      if (parts == 1) continue;
      levels_.take(roles_.inner, d, parts);
      piece *= parts;
    }
    for (const int d : reduced_) levels_.take_all(roles_.outer, d);
    copies_ = true;
  }

  // ---- scans

  /// Threads scan a few neighbours each, hand their totals on in warps, and groups look back.
  bool shares_scan() {
    if (scanned_.size() != 1 || !reduced_.empty() || !has_warps()) return false;
    if (shape_.volume(kept_) >= groups_wanted * threads_of_group) return false;
    const int d = scanned_.front();
    read_neighbours(d);
    const int64_t widest = std::max<int64_t>(4, shape_.widest_along(d));
    levels_.take(roles_.registers, d, bytes_of_scan / widest / levels_.count_on(roles_.lanes));
    levels_.take_threads(d, ambition_.threads);
    for (const int kept : reversed(kept_)) levels_.take_all(roles_.groups, kept);
    levels_.take_all(roles_.groups, d);
    levels_.keep_parts_whole();
    scans_ = true;
    return true;
  }

  bool has_warps() const {
    return !levels_.warp_layer().empty() &&
           machine::combines_privately(machine_, *machine_.find_layer(roles_.threads));
  }

  /// What threads have scanned goes through the memory of the group, so that neighbours write side by
  /// side; what they read is in registers before they begin.
  void place_scan(Config& c) const {
    const auto first = [&](const auto& is_layer) {
      return std::find_if(c.order.begin(), c.order.end(),
                          [&](const LevelName& level) { return is_layer(level.layer); });
    };
    const auto threads = first([&](const std::string& layer) {
      return layer == roles_.threads || layer == levels_.warp_layer();
    });
    const auto registers = first([&](const std::string& layer) {
      return layer == roles_.registers || layer == roles_.lanes;
    });
    for (const hl::BufferView& output : shape_.program.outputs) {
      if (threads != c.order.end()) c.acc[output.symbol.name] = {{*threads, roles_.shared, {}}};
    }
    for (const hl::BufferView& input : shape_.program.inputs) {
      if (registers == c.order.end()) continue;
      c.stage[input.symbol.name] = {{*registers, roles_.register_region, {}}};
    }
    for (const LevelName& level : c.order) {
      if (level.layer == roles_.threads) c.code.combine[level] = Combination::shuffle;
    }
  }

  /// Groups that scan a dimension do not wait for the next launch.
  void look_back(Config& c) const {
    for (const LevelName& level : c.order) {
      const bool is_scan = std::any_of(scanned_.begin(), scanned_.end(),
                                       [&](int d) { return levels_.name(d) == level.dimension; });
      if (is_scan && level.layer == roles_.groups && has_warps()) {
        c.code.combine[level] = Combination::look_back;
      }
    }
  }

  // ---- few results, long sums

  bool shares_sums() {
    const int64_t results = shape_.volume(kept_) * shape_.volume(scanned_);
    if (reduced_.empty() || !pays_to_share(results, shape_.volume(reduced_))) return false;
    const bool results_lie_along = !kept_.empty() &&
                                   shape_.along(kept_.front()) >= shape_.along(reduced_.front()) &&
                                   shape_.size(kept_.front()) >= lanes_of_warp;
    int64_t wanted = results < groups_wanted ? ambition_.threads_of_sum : ambition_.threads / 2;
    if (results_lie_along) {
      levels_.take_threads(kept_.front(), lanes_of_warp);
      wanted = std::max<int64_t>(1, ambition_.threads / lanes_of_warp);
    } else if (scanned_.empty()) {
      read_neighbours(reduced_.front());
    }
    for (const int d : reduced_) {
      wanted = still_wanted(d, std::min(wanted, std::max<int64_t>(1, levels_.rest(d) / 4)), wanted);
    }
    for (const int d : reversed(kept_)) levels_.take_all(roles_.groups, d);
    for (const int d : scanned_) {
      // Groups of warps have a few neighbours each.
      if (has_warps()) levels_.take(levels_.warp_layer(), d, 8);
      levels_.take(roles_.groups, d, has_warps() ? levels_.rest(d) : 2 * groups_wanted);
      levels_.take_all(roles_.outer, d);
    }
    share_with_groups();
    for (const int d : reversed(reduced_)) levels_.take_all(roles_.inner, d);
    return true;
  }

  /// Where a thread for each result would leave most of the device's threads unused, sums are shared;
  /// where it leaves some, only long ones.
  static bool pays_to_share(int64_t results, int64_t terms) {
    constexpr int64_t few = groups_wanted * threads_of_group;
    if (results < few) return terms >= 4 * least_terms;
    return results < groups_at_once * few && terms >= 16 * least_terms;
  }

  /// A thread reads as many neighbours at once as it can, where rows begin at multiples of that.
  void read_neighbours(int d) {
    const int64_t widest = shape_.widest_along(d);
    const bool is_wide = widest == 4 || widest == 8;  // no others are read at once
    if (roles_.lanes.empty() || !is_wide || shape_.size(d) % (bytes_at_once / widest) != 0) return;
    levels_.take(roles_.lanes, d, bytes_at_once / widest);
  }

  /// Groups that scan cannot look back while others make parts of their sums: that takes launches of
  /// its own, and pays only where the device would be almost empty.
  void share_with_groups() {
    const int64_t groups = levels_.count_on(roles_.groups);
    const int longest = reduced_.front();
    const int64_t useful = levels_.rest(longest) / least_terms;
    const bool looks_back = has_warps() && groups > 1 && !scanned_.empty();
    const int64_t wanted = looks_back ? groups_wanted / 4 : 5 * groups_wanted;
    const int64_t parts = std::min({most_groups_of_sum, std::max<int64_t>(1, useful),
                                    power_below(std::max<int64_t>(1, wanted / groups))});
    levels_.take(roles_.groups, longest, parts);
  }

  // ---- a thread for each result

  void one_thread_each() {
    std::vector<int> parallel = kept_;
    if (parallel.empty()) parallel = reduced_;
    if (parallel.empty()) return;
    const bool is_uneven = shape_.runs_loops();
    if (is_uneven && kept_.size() > 1) {
      take_squares();
    } else {
      levels_.take_threads(parallel.front(), std::min<int64_t>(128, ambition_.threads));
    }
    const int64_t written_out = shape_.volume(reduced_);
    if (!is_uneven && written_out * operations() <= most_written_out * 4 && !kept_.empty()) {
      several_results();
      for (const int d : reduced_) levels_.take_all(roles_.registers, d);
    }
    for (const int d : reversed(kept_)) levels_.take_all(roles_.groups, d);
    for (const int d : scanned_) levels_.take_all(roles_.outer, d);
    if (kept_.empty()) levels_.take(roles_.groups, parallel.front(), most_groups_of_sum);
    for (const int d : reversed(reduced_)) levels_.take_all(roles_.inner, d);
  }

  /// A warp takes as long as its slowest point, and near ones take similar times: its points are as
  /// near each other as possible. Groups are small squares of warps, so that few wait for the slowest.
  void take_squares() {
    constexpr int64_t across = 8, down = 4, warps = 2;
    levels_.take_threads(kept_[0], across);
    levels_.take_threads(kept_[1], down * warps);
    if (has_warps()) levels_.take(levels_.warp_layer(), kept_[0], warps);
  }

  /// Where there is enough to do, a thread computes several results: preferably such that read the
  /// same elements, in windows that overlap.
  void several_results() {
    const auto overlaps = [&](int d) {
      return std::any_of(reduced_.begin(), reduced_.end(),
                         [&](int r) { return shape_.share_an_index(d, r); });
    };
    int chosen = kept_.size() > 1 ? kept_[1] : kept_.front();
    for (const int d : reversed(kept_)) {
      if (overlaps(d) && d != kept_.front()) chosen = d;
    }
    const int64_t groups = shape_.volume(kept_) / 128;
    const int64_t most = overlaps(chosen) ? 8 : 4;
    levels_.take(roles_.registers, chosen,
                 std::min(most, power_below(std::max<int64_t>(1, groups / (2 * groups_wanted)))));
  }

  static std::vector<int> reversed(std::vector<int> dimensions) {
    std::reverse(dimensions.begin(), dimensions.end());
    return dimensions;
  }

  // ---- where things are kept

  Config finished() {
    Config c = levels_.config(machine_.name);
    place_results(c);
    if (scans_) place_scan(c);
    look_back(c);
    if (copies_) place_copies(c);
    write_out_loops(c);
    return c;
  }

  bool is_sum(const LevelName& level) const {
    for (const int d : reduced_) {
      if (levels_.name(d) == level.dimension) return true;
    }
    return false;
  }

  /// In registers inside of the loops of a sum; where threads meet, in the memory of the group.
  void place_results(Config& c) const {
    std::vector<Relocation> places;
    const auto add_first = [&](const std::string& region, const auto& is_layer) {
      const auto found = std::find_if(c.order.begin(), c.order.end(), [&](const LevelName& l) {
        return is_sum(l) && is_layer(l.layer);
      });
      if (found != c.order.end()) places.push_back({*found, region, {}});
    };
    add_first(roles_.shared, [&](const std::string& layer) {
      return layer == roles_.threads || layer == levels_.warp_layer();
    });
    add_first(roles_.register_region, [&](const std::string& layer) {
      return layer == roles_.outer || layer == roles_.inner || layer == roles_.registers;
    });
    if (places.empty()) return;
    for (const hl::BufferView& output : shape_.program.outputs) {
      c.acc[output.symbol.name] = places;
    }
    for (const LevelName& level : c.order) {
      if (is_sum(level)) combine(level, c);
    }
  }

  /// Threads of a warp by exchanges, warps in steps, blocks in a launch of its own, which costs less
  /// than that the last one of them does it; where there are no warps, nobody knows what cores can do
  /// besides waiting.
  void combine(const LevelName& level, Config& c) const {
    if (level.layer == roles_.threads) {
      c.code.combine[level] = has_warps() ? Combination::shuffle : Combination::team_tree;
    } else if (level.layer == levels_.warp_layer()) {
      c.code.combine[level] = Combination::team_tree;
    }
  }

  /// Of one point.
  int64_t operations() const {
    return std::max<int64_t>(1, hl::operations(shape_.program) / shape_.points());
  }

  /// Loads of several rounds are on their way at the same time; not more straight code than
  /// compilers like.
  void write_out_loops(Config& c) const {
    int64_t room = most_straight / (operations() * levels_.count_on(roles_.registers));
    for (size_t n = c.order.size(); n-- > 0;) {
      const LevelName& level = c.order[n];
      if (level.layer != roles_.inner) continue;
      const auto& digits = c.split[level.dimension];
      const auto digit = std::find_if(digits.begin(), digits.end(),
                                      [&](const Digit& one) { return one.layer == level.layer; });
      const int64_t parts = digit->parts;
      const int64_t wanted =
          parts <= 2 * terms_at_once && copies_ ? parts : std::min(parts, rounds_at_once);
      const int64_t taken = std::min(wanted, power_below(std::max<int64_t>(1, room)));
      if (taken > 1) c.code.kernel.unroll[level] = wanted <= room ? wanted : taken;
      room /= taken;
    }
  }

  void place_copies(Config& c) const {
    const auto from = std::find_if(c.order.begin(), c.order.end(), [&](const LevelName& level) {
      return level.layer == roles_.inner;
    });
    if (from == c.order.end()) return;
    for (const hl::BufferView& input : shape_.program.inputs) {
      const std::string& name = input.symbol.name;
      c.stage[name] = {{*from, roles_.shared, {}}};
      StageCode code;
      code.pad = pad_of(input);
      if (levels_.count_on(roles_.outer) > 1) {  // the next piece comes while this one is used
        code.depth = ambition_.depth;
        if (code.depth > 1) code.transport = Transport::async;
      }
      if (!(code == StageCode{})) c.code.stage[name] = {code};
    }
  }

  /// Neighbouring threads shall find their elements in different banks of the memory: an odd number
  /// of elements apart.
  int64_t pad_of(const hl::BufferView& input) const {
    const auto x = static_cast<size_t>(columns_.front());
    const hl::Access& access = input.accesses.front();
    int64_t distance = 1, last = 1;
    bool is_first = true;
    for (size_t e = access.index.size(); e-- > 0;) {
      const auto index = hl::find_affine(shape_.program, access.index[e]);
      if (!index) return 0;
      if (index->coefficients[x] != 0) {
        const bool helps = distance % 2 == 0 && (distance / last) % 2 == 1;
        return is_first || !helps ? 0 : 1;
      }
      int64_t extent = 1;
      for (size_t d = 0; d < shape_.sizes.size(); ++d) {
        extent += std::abs(index->coefficients[d]) * (levels_.tile(static_cast<int>(d)) - 1);
      }
      if (is_first) last = extent;
      is_first = false;
      distance *= extent;
    }
    return 0;
  }

  GridShape shape_;
  const machine::Machine& machine_;
  const Ambition& ambition_;
  Roles roles_;
  GridLevels levels_;
  std::vector<int> kept_, reduced_, scanned_;
  std::vector<int> columns_, rows_;  // sides of a product
  bool copies_ = false, scans_ = false;
};

}  // namespace

std::optional<Config> grid_config(const hl::Program& program, const machine::Machine& machine) {
  for (const Ambition& ambition : ambitions) {
    std::optional<Config> config = GridRules(program, machine, ambition).run();
    if (!config) return std::nullopt;
    try {
      validate(*config, program, machine);
      return config;
    } catch (const Error& e) {
      if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    }
  }
  return std::nullopt;
}

}  // namespace mdh::ll
