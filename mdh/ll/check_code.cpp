#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/compiler_flags.h"
#include "mdh/ll/names.h"
#include "mdh/ll/roll.h"
#include "mdh/ll/rules.h"
#include "mdh/support/power_of_two.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

class CodeChecker {
 public:
  CodeChecker(const Config& config, const Decomposition& d)
      : config_(config),
        code_(config.code),
        d_(d),
        low_(d.program()),
        program_(d.computation()),
        machine_(d.machine()) {}

  void run() const {
    for (const auto& [buffer, tiles] : code_.stage) check_stage(buffer, tiles);
    for (const auto& [dimension, edge] : code_.edge) check_edge(dimension, edge);
    for (const auto& [level, how] : code_.combine) check_combine(level, how);
    for (const auto& [layer, cores] : code_.cores) check_cores(layer, cores);
    check_kernel();
  }

 private:
  [[noreturn]] static void fail(const std::string& where, const std::string& message,
                                const std::string& hint) {
    user_error("E353", {}, fmt::format("code.{}: {}", where, message), hint);
  }

  void expect_in_order(const std::string& where, const LevelName& level) const {
    const auto found = std::find(config_.order.begin(), config_.order.end(), level);
    if (found != config_.order.end()) return;
    std::vector<std::string> known;
    for (const LevelName& one : config_.order) known.push_back(to_string(one));
    fail(where, fmt::format("{} is not in the order", to_string(level)),
         suggestion(to_string(level), known));
  }

  /// The machine layer a level runs on in a phase.
  const machine::Layer* layer_of(const LevelName& level,
                                 const std::vector<TaggedOperator>& phase) const {
    for (const TaggedOperator& op : phase) {
      if (to_string(low_, op.level) == to_string(level)) return machine_.find_layer(op.layer);
    }
    return machine_.find_layer(level.layer);
  }

  static void expect_at_least(const std::string& where, const char* what, int64_t value,
                              int64_t least) {
    if (value >= least) return;
    fail(where, fmt::format("{} is {}", what, value), fmt::format("at least {}", least));
  }

  // ---- tiles

  void check_stage(const std::string& buffer, const std::vector<StageCode>& tiles) const {
    const auto staged = config_.stage.find(buffer);
    const size_t count = staged == config_.stage.end() ? 0 : staged->second.size();
    if (tiles.size() > count) {
      fail("stage." + buffer,
           fmt::format("{} tiles are described, but '{}' is staged {} times", tiles.size(), buffer,
                       count),
           "describe the tiles of \"stage\" in their order");
    }
    if (!tiles.empty()) check_all_exist(buffer, count);
    for (size_t n = 0; n < tiles.size(); ++n) {
      check_tile(buffer, static_cast<int>(n), tiles[n], staged->second[n]);
    }
  }

  /// A tile that changes nothing, or begins at the loop at which the next one begins, does not
  /// exist, and what follows would be described by the wrong entry.
  void check_all_exist(const std::string& buffer, size_t count) const {
    const size_t b = find_buffer(program_.inputs, buffer).value();
    Place now = user_place(program_.inputs[b], machine_);
    size_t existing = 0;
    for (size_t q = 0; q <= low_.decompose.size(); ++q) {
      const Place& place =
          q < low_.decompose.size() ? low_.decompose[q].places[b] : low_.scalar.reads[b];
      existing += place == now ? 0 : 1;
      now = place;
    }
    if (existing == count) return;
    fail("stage." + buffer,
         fmt::format("'{}' is staged {} times, but {} of the tiles exist", buffer, count, existing),
         "remove tiles that change nothing, or that have no loop before the next one");
  }

  void check_tile(const std::string& buffer, int number, const StageCode& tile,
                  const Relocation& staging) const {
    const std::string where = fmt::format("stage.{}[{}]", buffer, number);
    expect_at_least(where, "pad", tile.pad, 0);
    expect_at_least(where, "line", tile.line, 1);
    if (tile.swizzle < 1 || tile.swizzle > 32 || !is_power_of_two(tile.swizzle)) {
      fail(where, fmt::format("swizzle is {}", tile.swizzle), "1, 2, 4, ... 32 lines; 1 is none");
    }
    if (tile.depth < 1 || tile.depth > most_in_flight) {
      fail(where, fmt::format("depth is {}", tile.depth),
           fmt::format("1 to {} tiles in flight", most_in_flight));
    }
    if (tile.width < 0 || tile.width > 64 || (tile.width > 0 && !is_power_of_two(tile.width))) {
      fail(where, fmt::format("width is {}", tile.width), "1, 2, 4, ... 64 bytes, or 0");
    }
    const hl::BufferView& view = program_.inputs[find_buffer(program_.inputs, buffer).value()];
    for (const auto& [axis, size] : tile.copy_order) {
      expect_at_least(where, "copy_order", size, 1);
      if (find_axis(program_, view, axis)) continue;
      fail(where, fmt::format("copy_order: '{}' is no dimension of the buffer", axis),
           "name the only dimension that walks along it, or its position 1, 2, ...");
    }
    if (tile.prefetch) {
      expect_at_least(where, "prefetch distance", tile.prefetch->distance, 1);
      expect_in_order(where + ".prefetch", tile.prefetch->level);
    }
    if (tile.roll) check_roll(where, buffer, number, tile, staging);
    if (tile.across) check_across(where, buffer, number, tile, staging);
  }

  /// Copies run ahead into the next iteration of the loop around the one that they stand in.
  void check_across(const std::string& where, const std::string& buffer, int number,
                    const StageCode& tile, const Relocation& staging) const {
    const std::string level = to_string(*tile.across);
    expect_in_order(where + ".across", *tile.across);
    if (tile.depth < 2) {
      fail(where, fmt::format("across {}: one tile is never ahead", level), "depth 2 or more");
    }
    if (is_register(machine_, staging.region)) {
      fail(where, fmt::format("across {}: {} are registers", level, staging.region),
           "tiles in memory run ahead across loops");
    }
    const auto& loops = d_.inputs().loops;
    const auto is_loop = [&](int r) {
      return r >= 0 && loops[r].layer->kind == machine::LayerKind::loop;
    };
    for (const Staging& s : stagings_of(buffer, number)) {
      const bool right = is_loop(s.filled - 1) && is_loop(s.filled - 2) &&
                         to_string(low_, loops[s.filled - 2].level) == level;
      if (right) continue;
      fail(where, fmt::format("across {}: it is not the loop around the one that copies", level),
           "name the level right outside of the loop in which the tile is copied; both are loops "
           "of more than one part");
    }
  }

  /// A tile keeps what the next iteration of a loop around it shares.
  void check_roll(const std::string& where, const std::string& buffer, int number,
                  const StageCode& tile, const Relocation& staging) const {
    const LevelName& level = *tile.roll;
    expect_in_order(where + ".roll", level);
    if (tile.depth > 1) {
      fail(where, fmt::format("roll: {} tiles are in flight", tile.depth),
           "a tile that rolls keeps its place: depth 1");
    }
    if (layer_of(level, low_.decompose)->kind != machine::LayerKind::loop) {
      fail(where, fmt::format("roll: {} is not a loop", to_string(level)),
           "tiles roll along a level on a loop layer");
    }
    const std::vector<LevelName> order = order_of(config_, "decomposition");
    if (std::find(order.begin(), order.end(), level) >=
        std::find(order.begin(), order.end(), staging.from)) {
      fail(where, fmt::format("roll: {} is inside of the tile", to_string(level)),
           fmt::format("name a loop outside of {}", to_string(staging.from)));
    }
    const auto found = std::find_if(low_.decompose.begin(), low_.decompose.end(), [&](auto& op) {
      return to_string(low_, op.level) == to_string(level);
    });
    if (found == low_.decompose.end()) {
      fail(where, fmt::format("roll: {} has one part", to_string(level)), "remove the entry");
    }
    check_window(where, buffer, number, found->level);
  }

  /// One entry is for the tiles of all families of accesses.
  std::vector<Staging> stagings_of(const std::string& buffer, int number) const {
    std::vector<Staging> all = d_.stagings();
    std::erase_if(all, [&](const Staging& s) {
      return program_.inputs[s.buffer].symbol.name != buffer || s.number != number;
    });
    return all;
  }

  void check_window(const std::string& where, const std::string& buffer, int number,
                    const Level& level) const {
    for (const Staging& s : stagings_of(buffer, number)) {
      const auto roll = roll_of(low_, d_.inputs(), s, level);
      if (const auto* reason = std::get_if<std::string>(&roll)) {
        fail(where, "roll: " + *reason,
             "tiles roll along the loop right around their copy, forwards along one axis, by less "
             "than its length");
      }
    }
  }

  // ---- borders

  void check_edge(const std::string& name, Edge edge) const {
    const auto dimension = find_dimension(program_, name);
    if (!dimension) {
      std::vector<std::string> known;
      for (const hl::Dimension& d : program_.dimensions) known.push_back(d.symbol.name);
      fail("edge", fmt::format("program '{}' has no dimension '{}'", program_.name, name),
           suggestion(name, known));
    }
    if (edge != Edge::pad && edge != Edge::overlap) return;
    const hl::Dimension& d = program_.dimensions[*dimension];
    if (d.combine.shape != hl::Shape::concatenate) {
      fail("edge." + name, fmt::format("{} needs a concatenated dimension", name_of(edge)),
           "clamp or mask");
    }
    if (edge == Edge::overlap) check_overlap(name, *dimension);
  }

  /// The shifted last tile computes points twice: it must overwrite, never combine, and fit.
  void check_overlap(const std::string& name, int dimension) const {
    int64_t tile = 1;
    for (const TaggedOperator& op : low_.recompose) {
      const machine::Layer* layer = machine_.find_layer(op.layer);
      if (op.level.dimension == dimension && layer->kind == machine::LayerKind::replicated) {
        tile *= op.parts;
      }
    }
    const auto size = constant(program_.dimensions[dimension].size);
    if (!size || *size < tile) {
      fail("edge." + name, fmt::format("overlap needs a size of at least one tile, {}", tile),
           "clamp or mask");
    }
    const Footprint& counts = d_.footprint();
    int innermost = 0;
    for (const AccumulatorCount& acc : counts.accumulators) {
      innermost = std::max(innermost, acc.position);
    }
    const int outer =
        counts.accumulators.empty() ? static_cast<int>(low_.recompose.size()) : innermost;
    for (int q = 0; q < outer; ++q) {
      const TaggedOperator& op = low_.recompose[q];
      if (program_.dimensions[op.level.dimension].combine.shape == hl::Shape::concatenate) continue;
      fail("edge." + name,
           fmt::format("overlap would combine twice at level {}", to_string(low_, op.level)),
           "accumulate inside of the reduction and write once, or clamp");
    }
  }

  // ---- cores

  void check_combine(const LevelName& level, Combination how) const {
    const std::string where = "combine." + to_string(level);
    expect_in_order("combine", level);
    const auto dimension = find_dimension(program_, level.dimension);
    const hl::CombineOperator& op = program_.dimensions[*dimension].combine;
    if (op.shape == hl::Shape::concatenate) {
      fail(where, "nothing is combined in a concatenated dimension", "remove the entry");
    }
    if (op.shape == hl::Shape::scan) check_scan(where, how);
    const machine::Layer* layer = layer_of(level, low_.recompose);
    if (layer->kind != machine::LayerKind::cores) {
      fail(where, fmt::format("{} is not a layer of cores", layer->name),
           "loops combine one after the other; remove the entry");
    }
    if (how == Combination::look_back && (op.shape != hl::Shape::scan || layer->barrier)) {
      fail(where, "only work-groups look back, and only at the parts of a scan before theirs",
           op.shape == hl::Shape::scan ? "shuffle, or remove the entry" : "last_core");
    }
    if (how == Combination::atomic) check_atomic(where, op, *layer);
    if (how == Combination::shuffle && !machine::combines_privately(machine_, *layer)) {
      fail(where, fmt::format("cores of {} do not exchange registers", layer->name),
           "shuffle only where the machine combines in a private region");
    }
  }

  void check_scan(const std::string& where, Combination how) const {
    if (how == Combination::automatic || how == Combination::shuffle ||
        how == Combination::look_back) {
      return;
    }
    fail(where, fmt::format("parts of a scan are not joined by {}", name_of(how)),
         "shuffle, look_back, or remove the entry");
  }

  /// Members of a grid come in any order. Others wait for each other, and need not.
  void check_atomic(const std::string& where, const hl::CombineOperator& op,
                    const machine::Layer& layer) const {
    if (op.shape != hl::Shape::pointwise) {
      fail(where, "atomic combines in any order, and only pw is known to allow that",
           "team_tree or partials_kernel");
    }
    if (layer.barrier) {
      fail(where, fmt::format("cores of {} wait for each other and need no atomics", layer.name),
           "shuffle or team_tree, or atomic at a level of work-groups");
    }
  }

  void check_cores(const std::string& name, const CoresCode& cores) const {
    const machine::Layer* layer = machine_.find_layer(name);
    if (!layer || layer->kind != machine::LayerKind::cores) {
      fail("cores", fmt::format("'{}' is not a layer of cores", name),
           "one of the machine's layers of cores");
    }
    expect_at_least("cores." + name, "count", cores.count, 0);
    expect_at_least("cores." + name, "swizzle", cores.swizzle, 1);
    if (cores.count == 0 && cores.deal == Deal::block) return;
    check_combined_outside(name);
    for (const TileCount& tile : d_.footprint().tiles) {
      for (const Level& level : tile.team) {
        if (slot_of(low_.decompose, level).layer != name || tile.is_hint) continue;
        fail("cores." + name,
             fmt::format("the cores fill the tile of '{}' together and wait inside of a part",
                         tile.buffer),
             "deal parts only where no barrier of the same cores stands inside");
      }
    }
  }

  /// Cores wait where their results are combined: behind all of the layer's loops, not inside.
  void check_combined_outside(const std::string& name) const {
    const TaggedOperator* outside = nullptr;
    for (const TaggedOperator& op : low_.recompose) {
      if (op.layer != name) continue;
      const hl::Dimension& dimension = program_.dimensions[op.level.dimension];
      if (outside && dimension.combine.shape != hl::Shape::concatenate) {
        fail("cores." + name,
             fmt::format("the cores combine level {} together and wait inside of a part of {}",
                         to_string(low_, op.level), to_string(low_, outside->level)),
             fmt::format("move {} outside of {}", to_string(low_, op.level),
                         to_string(low_, outside->level)));
      }
      outside = &op;
    }
  }

  // ---- the kernel

  void check_kernel() const {
    for (const auto& [level, times] : code_.kernel.unroll) {
      expect_in_order("kernel.unroll", level);
      expect_at_least("kernel.unroll", "times", times, 1);
    }
    if (code_.kernel.launch_bounds.size() > 2) {
      fail("kernel", "launch_bounds has more than two numbers", "threads, or threads and blocks");
    }
    for (size_t n = 0; n < code_.kernel.launch_bounds.size(); ++n) {
      const int64_t bound = code_.kernel.launch_bounds[n];
      expect_at_least("kernel", "launch_bounds", bound, 1);
      if (bound > (n == 0 ? 1024 : 32)) {
        fail("kernel", fmt::format("launch_bounds: {}", bound),
             "at most 1024 threads of a block, and 32 blocks of a multiprocessor");
      }
    }
    for (const std::string& flag : code_.kernel.flags) {
      if (is_known_flag(flag)) continue;
      user_error("E355", {}, "code.kernel.flags: " + unknown_flag(flag), hint_for_flag(flag));
    }
    check_emit();
    if (code_.kernel.store == Hint::streaming) check_streaming();
    if (code_.kernel.contract == Contract::fast &&
        !may_contract(hl::scalar_function(program_), hl::combine_function(program_))) {
      fail("kernel", "contract fast, but f or an operator compares, chooses, loops or cuts off",
           "off: rounding must not decide");
    }
  }

  /// Stores past the caches are for whole vectors of results that nobody reads again.
  void check_streaming() const {
    const Nest& outputs = d_.outputs();
    const std::vector<Run>& all = d_.runs();
    const auto fail_at = [&](int q) {
      fail("kernel",
           fmt::format("store streaming, but level {} combines results in the user's buffers, "
                       "where they are read again",
                       to_string(low_, outputs.loops[q].level)),
           "accumulate in another region (\"acc\") outside of all reductions, or remove the entry");
    };
    for (const int q : all.front().levels) {
      if (!outputs.loops[q].concatenated) fail_at(q);
    }
    if (all.size() > 1 && !all[1].replicas.empty()) fail_at(all[1].replicas.front());
    const bool groups = std::any_of(
        machine_.layers.begin(), machine_.layers.end(), [](const machine::Layer& layer) {
          return layer.kind == machine::LayerKind::cores && !layer.barrier;
        });
    const bool lanes =
        std::any_of(outputs.loops.begin(), outputs.loops.end(),
                    [](const NestLoop& loop) { return loop.layer->lanes && loop.concatenated; });
    if (groups || lanes) return;
    fail("kernel", "store streaming, but no concatenated dimension has parts on lanes",
         "whole vectors are stored so, never single elements");
  }

  void check_emit() const {
    const std::string& emit = code_.kernel.emit;
    if (emit == "program" || emit == "serpentine") return;
    for (const std::string prefix : {"by_operand ", "serpentine "}) {
      const bool begins = emit.rfind(prefix, 0) == 0;
      if (begins && find_buffer(program_.inputs, emit.substr(prefix.size()))) return;
    }
    fail("kernel", fmt::format("there is no emit order '{}'", emit),
         "program, serpentine, or \"by_operand A\" or \"serpentine A\" with an input");
  }

  const Config& config_;
  const Code& code_;
  const Decomposition& d_;
  const Program& low_;
  const hl::Program& program_;
  const machine::Machine& machine_;
};

}  // namespace

void check_code(const Config& config, const Decomposition& d) { CodeChecker(config, d).run(); }

}  // namespace mdh::ll
