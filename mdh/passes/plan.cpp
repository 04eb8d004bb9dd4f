#include "mdh/passes/plan.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "mdh/hl/analysis.h"
#include "mdh/hl/print.h"
#include "mdh/ll/footprint.h"
#include "mdh/ll/names.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Digit;
using loop::Element;
using loop::How;
using loop::Target;
using scalar::Expr;

How how_of(const machine::Layer& layer) {
  switch (layer.kind) {
    case machine::LayerKind::loop:
      return How::sequential;
    case machine::LayerKind::cores:
      return How::cores;
    case machine::LayerKind::replicated:
      return layer.lanes ? How::lanes : How::unrolled;
  }
  return How::sequential;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Symbols of a computation are numbered, those of loops are not.
Expr renamed(const Expr& e) {
  return substitute(e, [](const scalar::Variable& v, const Expr& at) {
    return std::optional(scalar::variable(loop::named(v.symbol.name), at.type(), at.where()));
  });
}

Expr index_of(const Expr& e) { return loop::without_negation(renamed(e)); }

scalar::Function renamed(scalar::Function f) {
  for (auto& parameter : f.parameters) parameter.symbol = loop::named(parameter.symbol.name);
  for (auto& result : f.results) {
    result.target = loop::named(result.target.name);
    result.value = renamed(result.value);
  }
  return f;
}

/// Operands are called l and r, and numbered if there are several: names of outputs need not be
/// names in the text form of loops.
scalar::Function with_operands_numbered(scalar::Function f) {
  const size_t count = f.results.size();
  const auto number = [&](const char* name, size_t c) {
    return loop::named(count == 1 ? name : name + std::to_string(c));
  };
  std::map<std::string, Symbol> names;
  for (size_t n = 0; n < f.parameters.size(); ++n) {
    Symbol& symbol = f.parameters[n].symbol;
    const Symbol operand = number(n < count ? "l" : "r", n % count);
    names.emplace(symbol.name, operand);
    symbol = operand;
  }
  for (size_t c = 0; c < count; ++c) {
    f.results[c].target = number("x", c);
    f.results[c].value =
        substitute(f.results[c].value, [&](const scalar::Variable& v, const Expr& at) {
          return std::optional(scalar::variable(names.at(v.symbol.name), at.type(), at.where()));
        });
  }
  return f;
}

bool is_printable(const Expr& e) {
  const scalar::Scalar type = scalar_of(e.type());
  const auto* b = e.as<scalar::Binary>();
  const auto* u = e.as<scalar::Unary>();
  const bool shifts =
      b && (b->op == scalar::BinaryOp::shift_left || b->op == scalar::BinaryOp::shift_right);
  return !shifts && !(u && u->op == scalar::UnaryOp::bit_not) && type != scalar::Scalar::f16 &&
         type != scalar::Scalar::bf16;
}

/// A chain of levels that share one accumulator: the output, or the slots of a reduction over
/// cores.
struct Run {
  Target target;
  int slot = -1;  // position of the reduction over cores whose members own a slot each
};

class Planner {
 public:
  Planner(const ll::Program& low, const machine::Machine& machine)
      : low_(low), computation_(low.computation), machine_(machine) {}

  loop::Program run() {
    check();
    p_.name = computation_.name;
    declare();
    for (const ll::TaggedOperator& op : low_.recompose) add_level(op);
    runs();
    p_.body = level(0);
    return p_;
  }

 private:
  void check() const {
    const auto& decompose = low_.decompose;
    bool fused = decompose.size() == low_.recompose.size();
    for (size_t q = 0; fused && q < decompose.size(); ++q) {
      fused = decompose[q].level == low_.recompose[q].level &&
              decompose[q].level == low_.scalar.order[q] &&
              decompose[q].layer == low_.recompose[q].layer;
    }
    if (!fused) {
      unsupported("E501", {}, "code for phases with different orders or assignments",
                  "use one order for all three phases; the reference runs any");
    }
    check_places();
    check_program();
    for (const hl::BufferView& output : computation_.outputs) {
      if (hl::is_injective(computation_, output)) continue;
      unsupported(
          "E502", output.where,
          fmt::format("code for output '{}', whose index functions are not provably injective",
                      output.symbol.name),
          "run it with --target reference");
    }
  }

  /// Regions that are caches are hints; a copy is asked for by an explicit region or a layout.
  void check_places() const {
    const ll::Footprint counts = ll::footprint(low_, machine_);
    for (const ll::TileCount& tile : counts.tiles) {
      if (!tile.is_hint) refuse_copy(tile.buffer, tile.place);
    }
    for (const ll::TaggedOperator& op : low_.recompose) refuse_moved(op.places);
    refuse_moved(low_.scalar.writes);
    for (const ll::TaggedOperator& op : low_.decompose) {
      if (op.parts != ll::open_parts) continue;
      unsupported("E506", {},
                  fmt::format("code for the open level {}", ll::to_string(low_, op.level)),
                  "give the size when the program is compiled");
    }
  }

  void refuse_moved(const std::vector<ll::Place>& places) const {
    for (size_t b = 0; b < places.size(); ++b) {
      const hl::BufferView& output = computation_.outputs[b];
      if (ll::is_copy(ll::user_place(output, machine_), places[b], machine_)) {
        refuse_copy(output.symbol.name, places[b]);
      }
    }
  }

  [[noreturn]] static void refuse_copy(const std::string& buffer, const ll::Place& place) {
    unsupported(
        "E505", {},
        fmt::format("code that keeps '{}' in region {} or in another layout", buffer, place.region),
        "leave \"stage\" and \"acc\" out; 'mdh show --ll' and the reference know them");
  }

  /// Only affine accesses are known to stay inside of their buffer.
  void check_accesses(const hl::BufferView& view) const {
    for (const hl::Access& access : view.accesses) {
      for (const Expr& index : access.index) {
        if (hl::find_affine(computation_, index)) continue;
        unsupported(
            "E220", index.where(),
            fmt::format("code for index function '{}', which is not affine", scalar::print(index)),
            "run it with --target reference, or write a sum of dimensions times constants");
      }
    }
  }

  /// What the printers know: arithmetic on scalars, cc and pw.
  void check_program() const {
    for (const hl::Dimension& d : computation_.dimensions) {
      const hl::Shape shape = d.combine.shape;
      if (shape == hl::Shape::concatenate || shape == hl::Shape::pointwise) continue;
      unsupported("E503", d.where,
                  fmt::format("code for dimension '{}' by {}", d.symbol.name, hl::print(d.combine)),
                  "run it with --target reference");
    }
    for (const hl::BufferView& view : computation_.inputs) check_accesses(view);
    const scalar::Function f = hl::scalar_function(computation_);
    const scalar::Function combine = hl::combine_function(computation_);
    for (const scalar::Function* part : {&f, &combine}) {
      if (is_plain(*part) && all_nodes(*part, is_printable)) continue;
      unsupported("E504", computation_.where,
                  fmt::format("code for the {} of '{}', which uses records, lets, loops, calls, "
                              "shifts or 16-bit floats",
                              part == &f ? "scalar function" : "operator", computation_.name),
                  "run it with --target reference");
    }
  }

  std::string fresh(std::string name) {
    while (!names_.insert(name).second) name += "_";
    return name;
  }

  void declare() {
    for (const hl::Dimension& d : computation_.dimensions) {
      p_.dimensions.push_back(
          {loop::named(fresh(d.symbol.name)), constant(d.size).value(), hl::is_reduced(d)});
    }
    for (const auto* views : {&computation_.outputs, &computation_.inputs}) {
      const auto role = views == &computation_.outputs ? loop::Role::output : loop::Role::input;
      for (const hl::BufferView& view : *views) {
        p_.buffers.push_back({loop::named(fresh(view.symbol.name)), scalar_of(view.type),
                              hl::extents(computation_, view), role});
      }
    }
    p_.f = renamed(hl::scalar_function(computation_));
    p_.combine = with_operands_numbered(hl::combine_function(computation_));
  }

  void add_level(const ll::TaggedOperator& op) {
    const std::string& dimension = computation_.dimensions[op.level.dimension].symbol.name;
    digits_.push_back({loop::named(fresh(lower_case(op.layer) + "_" + dimension)),
                       to_string(low_, op.level), op.level.dimension, op.parts,
                       chunk(low_, op.level)});
    hows_.push_back(how_of(*machine_.find_layer(op.layer)));
  }

  int count() const { return static_cast<int>(digits_.size()); }
  bool is_reduced(int q) const { return p_.dimensions[digits_[q].dimension].reduced; }
  bool is_slotted(int q) const { return hows_[q] == How::cores && is_reduced(q); }

  // ---- accumulators

  void runs() {
    runs_.push_back({{output_elements(), {}}, -1});
    for (int q = 0; q < count(); ++q) {
      if (is_slotted(q)) {
        runs_.push_back({{slot_elements(q), {}}, q});
      } else if (is_reduced(q)) {
        runs_.back().target.first.push_back(digits_[q].var);
      }
    }
  }

  /// Output index functions see 0 in reduced dimensions.
  std::vector<Element> output_elements() const {
    std::vector<Element> elements;
    for (const hl::BufferView& view : computation_.outputs) {
      for (const hl::Access& access : view.accesses) {
        Element element{loop::named(view.symbol.name), {}};
        for (const Expr& index : access.index) {
          element.index.push_back(simplify(without_reduced(index_of(index))));
        }
        elements.push_back(std::move(element));
      }
    }
    return elements;
  }

  Expr without_reduced(const Expr& index) const {
    return substitute(index, [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
      for (const loop::Dimension& d : p_.dimensions) {
        if (d.symbol == v.symbol && d.reduced) return scalar::index_literal(0);
      }
      return std::nullopt;
    });
  }

  /// The levels inside q that results still tell apart.
  std::vector<Digit> tile(int q) const {
    std::vector<Digit> inside;
    for (int r = q + 1; r < count(); ++r) {
      if (!is_reduced(r)) inside.push_back(digits_[r]);
    }
    return inside;
  }

  /// A slot per member of the enclosing teams and of q, each a dense tile over the levels inside.
  std::vector<Element> slot_elements(int q) {
    scalar::Extents extents;
    std::vector<Expr> index;
    for (int r = 0; r <= q; ++r) {
      if (hows_[r] != How::cores) continue;
      extents.push_back(digits_[r].parts);
      index.push_back(loop::index_variable(digits_[r].var));
    }
    for (const auto& [extent, position] : tile_axes(q)) {
      extents.push_back(extent);
      index.push_back(position);
    }
    std::vector<Element> elements;
    for (const auto& result : p_.f.results) {
      const Symbol buffer = loop::named(
          fresh(fmt::format("{}_{}", buffer_of(result.target.name), digits_[q].var.name)));
      p_.buffers.push_back(
          {buffer, scalar_of(result.value.type()), extents, loop::Role::workspace});
      elements.push_back({buffer, index});
    }
    return elements;
  }

  static std::string buffer_of(std::string access) {
    std::replace(access.begin(), access.end(), '.', '_');
    return access;
  }

  /// One axis per dimension: its digits inside q in mixed radix, by significance.
  std::vector<std::pair<int64_t, Expr>> tile_axes(int q) const {
    std::vector<std::pair<int64_t, Expr>> axes;
    for (size_t d = 0; d < p_.dimensions.size(); ++d) {
      std::vector<Digit> mine;
      for (const Digit& digit : tile(q)) {
        if (digit.dimension == static_cast<int>(d)) mine.push_back(digit);
      }
      if (mine.empty()) continue;
      std::sort(mine.begin(), mine.end(),
                [](const Digit& a, const Digit& b) { return a.step > b.step; });
      int64_t extent = 1;
      Expr position = scalar::index_literal(0);
      for (const Digit& digit : mine) {
        position = position * scalar::index_literal(digit.parts) + loop::index_variable(digit.var);
        extent *= digit.parts;
      }
      axes.emplace_back(extent, position);
    }
    return axes;
  }

  // ---- the tree

  loop::Block level(int q) const {
    if (q == count()) return {loop::StmtNode{loop::Accumulate{reads(), runs_.back().target}}};
    loop::Block block = {loop::StmtNode{loop::Digits{digits_[q], hows_[q], level(q + 1)}}};
    if (is_slotted(q)) block.push_back(combine(q));
    return block;
  }

  loop::Stmt combine(int q) const {
    const auto inner =
        std::find_if(runs_.begin(), runs_.end(), [&](const Run& r) { return r.slot == q; });
    return loop::StmtNode{
        loop::TeamCombine{digits_[q], tile(q), inner->target.elements, std::prev(inner)->target}};
  }

  std::vector<Element> reads() const {
    std::vector<Element> elements;
    for (const hl::BufferView& view : computation_.inputs) {
      for (const hl::Access& access : view.accesses) {
        Element element{loop::named(view.symbol.name), {}};
        for (const Expr& index : access.index) element.index.push_back(index_of(index));
        elements.push_back(std::move(element));
      }
    }
    return elements;
  }

  const ll::Program& low_;
  const hl::Program& computation_;
  const machine::Machine& machine_;
  loop::Program p_;
  std::set<std::string> names_;
  std::vector<Digit> digits_;
  std::vector<How> hows_;
  std::vector<Run> runs_;
};

}  // namespace

loop::Program plan(const ll::Program& program, const machine::Machine& machine) {
  return Planner(program, machine).run();
}

}  // namespace mdh::passes
