#include "mdh/passes/registers/transpose_copies.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/instance.h"
#include "mdh/passes/common/names.h"
#include "mdh/passes/concrete/copy_nest.h"
#include "mdh/passes/registers/swizzle.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::For;
using loop::Stmt;
using loop::StmtNode;
using machine::TargetFacts;

/// A copy whose elements lie side by side in the tile along one loop, in the source along another.
struct Transposing {
  CopyNest nest;
  size_t stored, loaded;  // these loops
  int64_t side;           // of a square
};

class Finder {
 public:
  Finder(const loop::Program& p, const TargetFacts& facts) : program_(p), facts_(facts) {}

  std::optional<Transposing> find(const Stmt& s) const {
    auto nest = copy_nest_of(s);
    const auto* load = nest ? nest->element.front().as<loop::Load>() : nullptr;
    if (!load || !nest->conditions.empty()) return std::nullopt;
    const loop::Element& to = nest->element.back().as<loop::Store>()->to;
    const loop::Buffer& tile = find_buffer(program_, to.buffer);
    const loop::Buffer& source = find_buffer(program_, load->from.buffer);
    // What moves within one buffer moves in an order.
    if (tile.symbol == source.symbol || !is_in_memory(tile) || !is_in_memory(source)) {
      return std::nullopt;
    }
    const auto stored = side_by_side(*nest, to), loaded = side_by_side(*nest, load->from);
    if (!stored || !loaded || *stored == *loaded) return std::nullopt;
    const int64_t side = facts_.vector_bytes / scalar::bytes_of(tile.type);
    Transposing found{*nest, *stored, *loaded, side};
    const bool fits = is_wide(nest->loops[*stored], side) && is_wide(nest->loops[*loaded], side) &&
                      has_stride(to, *nest, *loaded) && has_stride(load->from, *nest, *stored) &&
                      are_independent(found);
    return side > 1 && fits ? std::optional(found) : std::nullopt;
  }

 private:
  bool is_in_memory(const loop::Buffer& b) const {
    // The elements of a swizzled line do not lie side by side.
    return b.type.is_scalar() && b.scope != loop::Scope::registers && !is_swizzled(b, facts_);
  }

  std::optional<int64_t> stride(const loop::Element& e, const For& loop) const {
    return scalar::coefficient(address_of(program_, e), loop.var);
  }

  bool has_stride(const loop::Element& e, const CopyNest& nest, size_t n) const {
    return stride(e, nest.loops[n]).has_value();
  }

  std::optional<size_t> side_by_side(const CopyNest& nest, const loop::Element& e) const {
    for (size_t n = nest.loops.size(); n-- > 0;) {
      if (constant(nest.loops[n].trip) != 1 && stride(e, nest.loops[n]) == 1) return n;
    }
    return std::nullopt;
  }

  static bool is_wide(const For& loop, int64_t side) {
    return loop.first == 0 && constant(loop.trip).value_or(side) >= side;
  }

  /// No loop counts further or less far by where the two are.
  static bool are_independent(const Transposing& t) {
    return std::none_of(t.nest.loops.begin(), t.nest.loops.end(), [&](const For& loop) {
      return mentions(loop.trip, t.nest.loops[t.stored].var) ||
             mentions(loop.trip, t.nest.loops[t.loaded].var);
    });
  }

  const loop::Program& program_;
  const TargetFacts& facts_;
};

class Transposer {
 public:
  Transposer(const loop::Program& p, const TargetFacts& facts) : finder_(p, facts), names_(p) {}

  Block block(const Block& statements) {
    Block result;
    for (const Stmt& s : statements) {
      if (const auto found = finder_.find(s)) {
        append(result, replaced(*found));
      } else {
        result.push_back(loop::map_children(s, [&](const Block& b) { return block(b); }));
      }
    }
    return result;
  }

 private:
  /// Of a loop: the elements of whole squares, all, or what is left behind the squares.
  enum class Range { squares, whole, rest };

  /// Squares, then what is left of the one loop, then of the other.
  Block replaced(const Transposing& t) {
    Block result = squares(t);
    if (leaves_rest(t, t.stored)) append(result, single(t, Range::whole, Range::rest));
    if (leaves_rest(t, t.loaded)) append(result, single(t, Range::rest, Range::squares));
    return result;
  }

  static const Expr& trip(const Transposing& t, size_t n) { return t.nest.loops[n].trip; }

  static bool leaves_rest(const Transposing& t, size_t n) {
    const auto count = constant(trip(t, n));
    return !count || *count % t.side != 0;
  }

  static Expr squares_of(const Transposing& t, size_t n) {
    return quotient(trip(t, n), scalar::index_literal(t.side));
  }

  /// Elements before what is left.
  static Expr before_rest(const Transposing& t, size_t n) {
    return simplify(squares_of(t, n) * scalar::index_literal(t.side));
  }

  Block squares(const Transposing& t) {
    CopyNest nest = t.nest;
    Instance moved(names_);
    const auto cut = [&](size_t n) {
      For& loop = nest.loops[n];
      const Symbol inner = names_.fresh(loop.var.name + "_n");
      moved.set(loop.var, loop::index_variable(loop.var) * scalar::index_literal(t.side) +
                              loop::index_variable(inner));
      loop.trip = squares_of(t, n);
      return loop::Counter{inner, t.side};
    };
    const loop::Counter stored = cut(t.stored), loaded = cut(t.loaded);
    const loop::Element& from = nest.element.front().as<loop::Load>()->from;
    const loop::Element& to = nest.element.back().as<loop::Store>()->to;
    nest.element = {moved.statement(StmtNode{loop::Transpose{stored, loaded, to, from}})};
    return loops_from(nest, 0);
  }

  /// Element by element, a range of each loop.
  Block single(const Transposing& t, Range loaded, Range stored) {
    CopyNest nest = t.nest;
    Instance moved(names_);
    const auto limit = [&](size_t n, Range range) {
      For& loop = nest.loops[n];
      if (range == Range::squares) loop.trip = before_rest(t, n);
      if (range != Range::rest) return;
      loop.trip = simplify(trip(t, n) - before_rest(t, n));
      moved.set(loop.var, before_rest(t, n) + loop::index_variable(loop.var));
    };
    limit(t.loaded, loaded);
    limit(t.stored, stored);
    nest.element = moved.without_lets(nest.element);
    return loops_from(nest, 0);
  }

  Finder finder_;
  Names names_;
};

/// Work-items share a tile element by element.
bool has_groups(const loop::Program& p) {
  return std::any_of(p.digits.begin(), p.digits.end(),
                     [](const loop::Digit& d) { return d.how == loop::How::grid; });
}

}  // namespace

loop::Program transpose_copies(const loop::Program& program, const machine::TargetFacts& facts) {
  if (has_groups(program)) return program;
  loop::Program result = program;
  result.body = Transposer(program, facts).block(program.body);
  return result;
}

}  // namespace mdh::passes
