#include "mdh/ll/schedule.h"

#include <algorithm>
#include <set>

#include "mdh/ll/names.h"
#include "mdh/ll/roles.h"
#include "mdh/ll/schedule_stages.h"

namespace mdh::ll {
namespace {

class Translator {
 public:
  Translator(Stages stages, const hl::Program& program, const machine::Machine& machine)
      : stages_(std::move(stages)),
        compute_(stages_.by_name.at(stages_.compute)),
        program_(program),
        machine_(machine),
        roles_(roles_of(machine)) {}

  Config run() {
    config_.program = program_.name;
    config_.machine = machine_.name;
    for (const ScheduleAxis& axis : compute_.axes) {
      order_.insert(order_.end(), axis.pieces.begin(), axis.pieces.end());
    }
    if (!compute_.scope.empty()) join_write_back();
    move_vthreads();
    name_levels();
    merge_layers();
    for (const int piece : order_) config_.order.push_back(levels_.at(piece));
    add_trivial_levels();
    stage_copies();
    if (!compute_.scope.empty()) {
      config_.acc[compute_.buffer] = {{inside_of(compute_.at), region_of(compute_), {}}};
    }
    unroll();
    return std::move(config_);
  }

 private:
  [[noreturn]] void impossible(const Location& where, const std::string& message,
                               const std::string& hint) const {
    user_error("E366", where, message, hint);
  }

  std::string dimension_name(int d) const { return program_.dimensions[d].symbol.name; }

  // ---- two stages become one nest of loops

  /// Loops of the write-back around its copy of the results are loops of the computation.
  void join_write_back() {
    const Stage& outer = stages_.by_name.at(compute_.buffer);
    if (compute_.parent != outer.name) {
      impossible(compute_.where, fmt::format("'{}' is computed nowhere", compute_.name),
                 fmt::format("compute_at({}, {}, axis)", compute_.name, outer.name));
    }
    std::vector<int> around;
    for (const ScheduleAxis& axis : outer.axes) {
      around.insert(around.end(), axis.pieces.begin(), axis.pieces.end());
    }
    const auto at = std::find(around.begin(), around.end(), compute_.at);
    check_still_there(outer, compute_, at != around.end());
    for (auto inside = at + 1; inside != around.end(); ++inside) {
      if (outer.pieces[*inside].role == PieceRole::loop) continue;
      impossible(compute_.where,
                 fmt::format("an axis of '{}' inside of '{}' is bound", outer.name, compute_.name),
                 "compute_at the innermost axis that is bound");
    }
    around.erase(at + 1, around.end());
    std::vector<int> order;
    for (const int piece : around) order.push_back(matching(outer, piece));
    for (const int piece : order_) {
      if (std::find(order.begin(), order.end(), piece) == order.end()) order.push_back(piece);
    }
    order_ = std::move(order);
    for (auto& [name, stage] : stages_.by_name) {
      if (stage.parent != outer.name) continue;
      const std::vector<int>& digits = outer.digits[outer.pieces[stage.at].dimension];
      check_still_there(outer, stage,
                        std::find(digits.begin(), digits.end(), stage.at) != digits.end());
      stage.at = matching(outer, stage.at);
      stage.parent = compute_.name;
    }
  }

  void check_still_there(const Stage& parent, const Stage& child, bool there) const {
    if (there) return;
    impossible(child.where,
               fmt::format("the axis of '{}' that '{}' is computed at was split afterwards",
                           parent.name, child.name),
               "write compute_at after all splits");
  }

  /// The piece of the computation that is this piece of the write-back: both are split alike, as
  /// far as the loops are shared.
  int matching(const Stage& outer, int piece) {
    const Piece& theirs = outer.pieces[piece];
    const std::vector<int>& digits = outer.digits[theirs.dimension];
    const auto n = std::find(digits.begin(), digits.end(), piece) - digits.begin();
    const std::vector<int>& mine = compute_.digits[theirs.dimension];
    for (int64_t m = 0; m <= n; ++m) {
      const bool same = m < static_cast<int64_t>(mine.size()) &&
                        compute_.pieces[mine[m]].parts == outer.pieces[digits[m]].parts;
      if (same) continue;
      impossible(compute_.where,
                 fmt::format("'{}' and '{}' are split differently along {}", outer.name,
                             compute_.name, dimension_name(theirs.dimension)),
                 "loops that both share have the same factors in both");
    }
    Piece& found = compute_.pieces[mine[n]];
    if (found.role == PieceRole::loop) {
      found.role = theirs.role;
      found.tag = theirs.tag;
    }
    return mine[n];
  }

  /// Virtual threads run in lockstep, so their loops stand inside of the copies they share.
  void move_vthreads() {
    std::vector<int> moved, rest;
    for (const int piece : order_) {
      const bool is_vthread = compute_.pieces[piece].role == PieceRole::vthread;
      (is_vthread ? moved : rest).push_back(piece);
    }
    auto behind = rest.begin();
    for (const auto& [name, stage] : stages_.by_name) {
      const auto at = std::find(rest.begin(), rest.end(), stage.at);
      if (stage.parent == compute_.name && at != rest.end()) behind = std::max(behind, at + 1);
    }
    if (behind == rest.begin()) return;
    rest.insert(behind, moved.begin(), moved.end());
    order_ = std::move(rest);
  }

  // ---- levels

  std::string need(const std::string& layer, const char* what) const {
    if (layer.empty()) {
      impossible(compute_.where, fmt::format("machine '{}' has no {}", machine_.name, what),
                 "choose another machine, or leave the call out");
    }
    return layer;
  }

  std::string layer_of(const Piece& piece, size_t& memory) const {
    if (piece.role == PieceRole::groups) return need(roles_.groups, "groups of threads");
    if (piece.role == PieceRole::threads) return need(roles_.threads, "threads in groups");
    if (piece.role == PieceRole::lanes) return need(roles_.lanes, "lanes");
    if (memory == roles_.memory.size()) {
      impossible(compute_.where,
                 fmt::format("{} has more than {} axes that are not bound, one for each memory "
                             "layer of machine '{}'",
                             dimension_name(piece.dimension), roles_.memory.size(), machine_.name),
                 "bind one, or split less often");
    }
    return roles_.memory[memory++];
  }

  void name_levels() {
    for (const std::vector<int>& digits : compute_.digits) {
      size_t memory = 0;
      std::set<std::string> used;
      for (const int n : digits) {
        const Piece& piece = compute_.pieces[n];
        const std::string dimension = dimension_name(piece.dimension);
        const LevelName level{layer_of(piece, memory), dimension};
        if (!used.insert(level.layer).second) {
          impossible(compute_.where,
                     fmt::format("two axes of {} are bound to {}", dimension, level.layer),
                     "bind one axis of a dimension to blocks, and one to threads");
        }
        levels_[n] = level;
        if (!piece.tag.empty()) config_.tags[to_string(level)] = piece.tag;
        if (piece.parts != 1) config_.split[dimension].push_back({level.layer, piece.parts});
      }
    }
  }

  /// One order of significance that agrees with those of all dimensions.
  void merge_layers() {
    std::vector<std::vector<std::string>> sequences;
    for (const std::vector<int>& digits : compute_.digits) {
      sequences.emplace_back();
      for (const int n : digits) sequences.back().push_back(levels_.at(n).layer);
    }
    for (;;) {
      std::string next;
      bool done = true;
      for (const auto& sequence : sequences) {
        done &= sequence.empty();
        if (next.empty() && !sequence.empty() && is_first_everywhere(sequence[0], sequences)) {
          next = sequence[0];
        }
      }
      if (done) return;
      if (next.empty()) {
        impossible(compute_.where, "dimensions disagree about which layer is more significant",
                   "split all of them alike: blocks outside of threads, or threads of blocks");
      }
      config_.layers.push_back(next);
      for (auto& sequence : sequences) {
        if (!sequence.empty() && sequence[0] == next) sequence.erase(sequence.begin());
      }
    }
  }

  static bool is_first_everywhere(const std::string& layer,
                                  const std::vector<std::vector<std::string>>& sequences) {
    return std::all_of(sequences.begin(), sequences.end(), [&](const auto& sequence) {
      const auto found = std::find(sequence.begin(), sequence.end(), layer);
      return found == sequence.begin() || found == sequence.end();
    });
  }

  bool is_cores(const std::string& layer) const {
    return machine_.find_layer(layer)->kind == machine::LayerKind::cores;
  }

  /// Cores work in all dimensions, in some with one part only.
  void add_trivial_levels() {
    for (const std::string& layer : config_.layers) {
      if (!is_cores(layer)) continue;
      for (const hl::Dimension& d : program_.dimensions) {
        const LevelName level{layer, d.symbol.name};
        auto& order = config_.order;
        if (std::find(order.begin(), order.end(), level) != order.end()) continue;
        const auto last = std::find_if(order.rbegin(), order.rend(),
                                       [&](const LevelName& one) { return one.layer == layer; });
        order.insert(last.base(), level);
      }
    }
  }

  // ---- memory

  std::string region_of(const Stage& stage) const {
    const std::string& region = stage.scope == "shared" ? roles_.shared : roles_.local;
    if (region.empty()) {
      impossible(stage.where,
                 fmt::format("machine '{}' has no {} memory", machine_.name, stage.scope),
                 "choose a machine with groups of threads, or leave the call out");
    }
    return region;
  }

  int64_t position(int piece) const {
    return std::find(config_.order.begin(), config_.order.end(), levels_.at(piece)) -
           config_.order.begin();
  }

  /// The level right inside of a loop; inside of all levels of its layer, if it runs on cores.
  LevelName inside_of(int piece) const {
    const std::string layer = levels_.at(piece).layer;
    size_t next = static_cast<size_t>(position(piece)) + 1;
    while (is_cores(layer) && next < config_.order.size() && config_.order[next].layer == layer) {
      ++next;
    }
    return next < config_.order.size() ? config_.order[next] : LevelName{"f", ""};
  }

  void stage_copies() {
    std::map<std::string, std::map<int64_t, const Stage*>> copies;  // by buffer, outside in
    for (const auto& [name, stage] : stages_.by_name) {
      if (stage.kind != StageKind::copy) continue;
      if (stage.parent != compute_.name) {
        impossible(stage.where, fmt::format("'{}' is computed nowhere", name),
                   fmt::format("compute_at({}, {}, axis)", name, compute_.name));
      }
      check_still_there(compute_, stage, levels_.contains(stage.at));
      copies[stage.buffer].emplace(position(stage.at), &stage);
    }
    for (const auto& [buffer, list] : copies) {
      std::vector<StageCode> code;
      for (const auto& [position, stage] : list) {
        config_.stage[buffer].push_back({inside_of(stage->at), region_of(*stage), {}});
        code.push_back({.width = stage->vector * element_bytes(buffer)});
      }
      if (code != std::vector<StageCode>(code.size())) config_.code.stage[buffer] = code;
    }
  }

  int64_t element_bytes(const std::string& buffer) const {
    return scalar::bytes_of(program_.inputs[find_buffer(program_.inputs, buffer).value()].type);
  }

  void unroll() {
    for (const Unrolling& wish : stages_.unrollings) {
      if (!levels_.contains(wish.piece)) {
        impossible(wish.where, "the axis of a pragma was split afterwards",
                   "write pragmas after all splits");
      }
      int64_t copies = 1;
      const int64_t outermost = position(wish.piece);
      for (auto q = static_cast<int64_t>(config_.order.size()) - 1; q >= outermost; --q) {
        const LevelName& level = config_.order[static_cast<size_t>(q)];
        const int64_t parts = parts_of(level);
        if (is_cores(level.layer) || parts > wish.steps / copies) break;
        copies *= parts;
        if (parts > 1) config_.code.kernel.unroll[level] = parts;
      }
    }
  }

  int64_t parts_of(const LevelName& level) const {
    for (const auto& [piece, name] : levels_) {
      if (name == level) return compute_.pieces[piece].parts;
    }
    return 1;
  }

  Stages stages_;
  Stage& compute_;
  const hl::Program& program_;
  const machine::Machine& machine_;
  Roles roles_;
  std::vector<int> order_;  // pieces of the computation, outermost first
  std::map<int, LevelName> levels_;
  Config config_;
};

}  // namespace

bool is_schedule(std::string_view text) { return text.rfind("mdh_schedule", 0) == 0; }

Config parse_schedule(std::string_view text, const hl::Program& program,
                      const machine::Machine& machine, const std::string& file) {
  Stages stages = apply_calls(read_calls(text, file), program, file);
  Config config = Translator(std::move(stages), program, machine).run();
  validate(config, program, machine);
  return config;
}

}  // namespace mdh::ll
