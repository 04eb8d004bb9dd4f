#include "mdh/ll/schedule_stages.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"
#include "mdh/ll/parameters.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

class Applier {
 public:
  Applier(const hl::Program& program, const std::string& file) : program_(program) {
    if (program.outputs.size() != 1) {
      user_error("E366", {std::make_shared<const std::string>(file), 1, 1},
                 fmt::format("program '{}' has {} outputs", program.name, program.outputs.size()),
                 "a schedule computes one output");
    }
    stages_.compute = program.outputs[0].symbol.name;
    add_loops(stages_.compute, StageKind::compute, program.outputs[0].symbol.name);
  }

  Stages run(const std::vector<ScheduleCall>& calls) {
    for (const ScheduleCall& call : calls) {
      call_ = &call;
      apply();
    }
    return std::move(stages_);
  }

 private:
  using Action = void (Applier::*)();
  struct Rule {
    const char* name;
    size_t results;
    size_t arguments;
    bool more;  // arguments beyond these
    Action action;
    const char* form;
  };

  static const std::vector<Rule>& rules() {
    static const std::vector<Rule> all = {
        {"split", 2, 3, false, &Applier::split_axis, "o, i = split(C, k, 8)"},
        {"fuse", 1, 3, true, &Applier::fuse, "f = fuse(C, i, j)"},
        {"reorder", 0, 2, true, &Applier::reorder, "reorder(C, i, j)"},
        {"bind", 0, 3, false, &Applier::bind, "bind(C, i, blockIdx.x)"},
        {"cache_read", 0, 2, false, &Applier::cache_read, "cache_read(A, shared)"},
        {"cache_write", 0, 2, false, &Applier::cache_write, "cache_write(C, local)"},
        {"compute_at", 0, 3, false, &Applier::compute_at, "compute_at(A.shared, C, k)"},
        {"vectorize", 0, 2, false, &Applier::vectorize, "vectorize(C, j)"},
        {"pragma", 0, 4, false, &Applier::pragma, "pragma(C, i, auto_unroll_max_step, 512)"}};
    return all;
  }

  void apply() {
    std::vector<std::string> known;
    for (const Rule& rule : rules()) {
      known.emplace_back(rule.name);
      if (call_->name != rule.name) continue;
      const size_t given = call_->arguments.size();
      const bool fits = rule.more ? given >= rule.arguments : given == rule.arguments;
      if (!fits || call_->results.size() != rule.results) {
        wrong(fmt::format("{} has {} results and {} arguments here", rule.name,
                          call_->results.size(), given),
              std::string("write ") + rule.form);
      }
      (this->*rule.action)();
      return;
    }
    user_error("E362", call_->where, fmt::format("there is no call '{}'", call_->name),
               suggestion(call_->name, known));
  }

  // ---- complaints and names

  [[noreturn]] void wrong(const std::string& message, const std::string& hint) const {
    user_error("E365", call_->where, message, hint);
  }

  [[noreturn]] void impossible(const std::string& message, const std::string& hint) const {
    user_error("E366", call_->where, message, hint);
  }

  const std::string& argument(size_t n) const { return call_->arguments[n]; }

  Stage& stage(size_t n) {
    const auto found = stages_.by_name.find(argument(n));
    if (found != stages_.by_name.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, stage] : stages_.by_name) known.push_back(name);
    user_error("E363", call_->where, fmt::format("there is no stage '{}'", argument(n)),
               suggestion(argument(n), known));
  }

  size_t axis(const Stage& stage, size_t n) const {
    std::vector<std::string> known;
    for (size_t a = 0; a < stage.axes.size(); ++a) {
      if (stage.axes[a].name == argument(n)) return a;
      known.push_back(stage.axes[a].name);
    }
    user_error("E364", call_->where,
               fmt::format("stage '{}' has no axis '{}'", stage.name, argument(n)),
               suggestion(argument(n), known));
  }

  int64_t number(size_t n) const {
    long long value = 0;
    if (!to_integer(argument(n), value) || value < 1) {
      wrong(fmt::format("'{}' is not a number from 1 upwards", argument(n)), "");
    }
    return value;
  }

  void check_free(const Stage& stage, const std::string& name) const {
    for (const ScheduleAxis& one : stage.axes) {
      if (one.name != name) continue;
      wrong(fmt::format("stage '{}' already has an axis '{}'", stage.name, name),
            "every axis of a stage has a name of its own");
    }
  }

  /// A stage whose axes are the dimensions of the program that it walks along.
  void add_loops(const std::string& name, StageKind kind, const std::string& buffer) {
    Stage stage{.name = name, .kind = kind, .buffer = buffer};
    const std::vector<int64_t> sizes = hl::sizes(program_);
    stage.digits.resize(sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (kind == StageKind::write_back && hl::is_reduced(program_.dimensions[d])) continue;
      const auto piece = static_cast<int>(stage.pieces.size());
      stage.pieces.push_back({.dimension = static_cast<int>(d), .parts = sizes[d]});
      stage.digits[d] = {piece};
      stage.axes.push_back({program_.dimensions[d].symbol.name, {piece}});
    }
    stages_.by_name.insert_or_assign(name, std::move(stage));
  }

  // ---- loops

  void split_axis() {
    Stage& s = stage(0);
    const size_t a = axis(s, 1);
    const int64_t factor = number(2);
    const std::vector<int> pieces = s.axes[a].pieces;
    if (s.kind != StageKind::copy && pieces.size() > 1) {
      impossible(fmt::format("'{}' is fused from several axes", argument(1)),
                 "split before fusing: digits belong to one dimension");
    }
    const Piece whole = s.pieces[pieces.front()];
    if (whole.role != PieceRole::loop) {
      impossible(fmt::format("'{}' is bound", argument(1)), "split before binding");
    }
    const auto outer = static_cast<int>(s.pieces.size());
    s.pieces.push_back({whole.dimension, (whole.parts + factor - 1) / factor});
    s.pieces.push_back({whole.dimension, std::min(factor, whole.parts)});
    std::vector<int>& digits = s.digits[whole.dimension];
    const auto at = std::find(digits.begin(), digits.end(), pieces.front());
    *at = outer;
    digits.insert(at + 1, outer + 1);
    s.axes.erase(s.axes.begin() + static_cast<int64_t>(a));
    check_free(s, call_->results[0]);
    check_free(s, call_->results[1]);
    s.axes.insert(s.axes.begin() + static_cast<int64_t>(a),
                  {{call_->results[0], {outer}}, {call_->results[1], {outer + 1}}});
  }

  void fuse() {
    Stage& s = stage(0);
    const size_t first = axis(s, 1);
    ScheduleAxis fused{call_->results[0], {}};
    for (size_t n = 1; n < call_->arguments.size(); ++n) {
      if (axis(s, n) != first + n - 1) {
        impossible(
            fmt::format("'{}' does not stand directly inside of the axis before it", argument(n)),
            "reorder first");
      }
      const std::vector<int>& pieces = s.axes[first + n - 1].pieces;
      fused.pieces.insert(fused.pieces.end(), pieces.begin(), pieces.end());
    }
    const auto begin = s.axes.begin() + static_cast<int64_t>(first);
    s.axes.erase(begin, begin + static_cast<int64_t>(call_->arguments.size()) - 1);
    check_free(s, fused.name);
    s.axes.insert(s.axes.begin() + static_cast<int64_t>(first), std::move(fused));
  }

  /// The axes that are named change places among themselves.
  void reorder() {
    Stage& s = stage(0);
    std::vector<size_t> places;
    std::vector<ScheduleAxis> axes;
    for (size_t n = 1; n < call_->arguments.size(); ++n) {
      const size_t a = axis(s, n);
      if (std::find(places.begin(), places.end(), a) != places.end()) {
        wrong(fmt::format("'{}' occurs twice", argument(n)), "");
      }
      places.push_back(a);
      axes.push_back(s.axes[a]);
    }
    std::sort(places.begin(), places.end());
    for (size_t n = 0; n < places.size(); ++n) s.axes[places[n]] = axes[n];
  }

  void bind() {
    static const std::map<std::string, PieceRole> roles = {{"blockIdx", PieceRole::groups},
                                                           {"threadIdx", PieceRole::threads}};
    Stage& s = stage(0);
    const ScheduleAxis& bound = s.axes[axis(s, 1)];
    const std::vector<std::string> words = split(argument(2), '.');
    const bool is_vthread = argument(2) == "vthread";
    const auto role = roles.find(words.front());
    const size_t first = words.size() == 2 ? std::string("xyz").find(words[1]) : std::string::npos;
    if (!is_vthread && (role == roles.end() || first > 2 || words[1].size() != 1)) {
      wrong(fmt::format("an axis cannot be bound to '{}'", argument(2)),
            "blockIdx.x, threadIdx.x (or y, z), or vthread");
    }
    for (size_t n = 0; n < bound.pieces.size(); ++n) {
      Piece& piece = s.pieces[bound.pieces[bound.pieces.size() - 1 - n]];
      if (piece.role != PieceRole::loop) {
        impossible(fmt::format("'{}' is bound already", argument(1)), "");
      }
      piece.role = is_vthread ? PieceRole::vthread : role->second;
      if (!is_vthread) piece.tag = machine_axis(static_cast<int>(first + n));
    }
  }

  // ---- copies

  void check_scope(size_t n) const {
    if (argument(n) == "shared" || argument(n) == "local") return;
    wrong(fmt::format("there is no memory '{}'", argument(n)), "shared or local");
  }

  void cache_read() {
    check_scope(1);
    const auto input = find_buffer(program_.inputs, argument(0));
    if (!input) {
      std::vector<std::string> known;
      for (const hl::BufferView& view : program_.inputs) known.push_back(view.symbol.name);
      user_error("E363", call_->where, fmt::format("there is no input '{}'", argument(0)),
                 suggestion(argument(0), known));
    }
    Stage copy{.name = argument(0) + "." + argument(1),
               .kind = StageKind::copy,
               .buffer = argument(0),
               .scope = argument(1),
               .where = call_->where};
    const size_t rank = program_.inputs[*input].accesses.front().index.size();
    copy.digits.resize(rank);
    for (size_t e = 0; e < rank; ++e) {
      // How many elements it has follows from where it is computed.
      copy.pieces.push_back({.dimension = static_cast<int>(e), .parts = INT64_MAX / 2});
      copy.digits[e] = {static_cast<int>(e)};
      copy.axes.push_back({fmt::format("ax{}", e), {static_cast<int>(e)}});
    }
    if (!stages_.by_name.emplace(copy.name, copy).second) {
      impossible(fmt::format("there is a stage '{}' already", copy.name), "");
    }
  }

  void cache_write() {
    check_scope(1);
    const Stage& written = stage(0);
    if (written.kind != StageKind::compute || !written.scope.empty()) {
      impossible(fmt::format("'{}' is not where results are computed", argument(0)),
                 fmt::format("cache_write({}, local)", program_.outputs[0].symbol.name));
    }
    if (is_touched(written)) {
      impossible(fmt::format("'{}' is split, bound or used already", argument(0)),
                 "write cache_write before all calls that name the stage");
    }
    const std::string name = written.name;
    add_loops(name, StageKind::write_back, name);
    stages_.compute = name + "." + argument(1);
    add_loops(stages_.compute, StageKind::compute, name);
    stages_.by_name.at(stages_.compute).scope = argument(1);
    stages_.by_name.at(stages_.compute).where = call_->where;
  }

  bool is_touched(const Stage& s) const {
    for (const auto& [name, other] : stages_.by_name) {
      if (other.parent == s.name) return true;
    }
    return !stages_.unrollings.empty() || s.pieces.size() != program_.dimensions.size() ||
           std::any_of(s.pieces.begin(), s.pieces.end(),
                       [](const Piece& piece) { return piece.role != PieceRole::loop; });
  }

  void compute_at() {
    Stage& child = stage(0);
    const Stage& parent = stage(1);
    if (child.scope.empty() || parent.kind == StageKind::copy || &child == &parent) {
      impossible(fmt::format("'{}' cannot be computed inside of '{}'", child.name, parent.name),
                 "copies are computed inside of the loops that use them");
    }
    child.parent = parent.name;
    child.at = parent.axes[axis(parent, 2)].pieces.back();
  }

  // ---- code

  void vectorize() {
    Stage& s = stage(0);
    const ScheduleAxis& along = s.axes[axis(s, 1)];
    Piece& piece = s.pieces[along.pieces.back()];
    if (s.kind == StageKind::copy) {
      s.vector = piece.parts;
    } else if (s.kind == StageKind::compute && along.pieces.size() == 1 &&
               piece.role == PieceRole::loop) {
      piece.role = PieceRole::lanes;
    } else {
      impossible(fmt::format("'{}' of stage '{}' cannot be vectorized", argument(1), s.name),
                 "vectorize an axis that is not bound, where f is applied or an input copied");
    }
  }

  void pragma() {
    const Stage& s = stage(0);
    if (s.kind != StageKind::compute) {
      impossible(fmt::format("stage '{}' has no pragmas", s.name), "f is applied elsewhere");
    }
    const int piece = s.axes[axis(s, 1)].pieces.front();
    if (argument(2) == "auto_unroll_max_step") {
      stages_.unrollings.push_back({piece, number(3), call_->where});
    } else if (argument(2) != "unroll_explicit") {  // unrolled loops are always written out
      wrong(fmt::format("there is no pragma '{}'", argument(2)),
            "auto_unroll_max_step or unroll_explicit");
    }
  }

  const hl::Program& program_;
  const ScheduleCall* call_ = nullptr;
  Stages stages_;
};

}  // namespace

Stages apply_calls(const std::vector<ScheduleCall>& calls, const hl::Program& program,
                   const std::string& file) {
  return Applier(program, file).run(calls);
}

}  // namespace mdh::ll
