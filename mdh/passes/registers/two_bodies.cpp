#include "mdh/passes/registers/two_bodies.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/facts.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/names.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/registers/edge_tiles.h"
#include "mdh/passes/structured/overlap.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;

/// The variables of the replicated loops around, and their greatest values.
using Greatest = std::map<Symbol, int64_t>;

/// The expression never grows (or never falls) with any of the variables.
bool is_monotone(const Expr& e, const Greatest& vars, bool falls) {
  if (const auto* b = e.as<scalar::Binary>(); b && b->op == BinaryOp::divide) {
    const auto by = constant(b->right);
    return by && *by > 0 && is_monotone(b->left, vars, falls);
  }
  return std::all_of(vars.begin(), vars.end(), [&](const auto& v) {
    const auto slope = scalar::coefficient(e, v.first);
    return slope && (falls ? *slope <= 0 : *slope >= 0);
  });
}

Expr at_greatest(const Expr& e, const Greatest& vars) {
  return simplify(substitute(e, [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
    const auto found = vars.find(v.symbol);
    if (found == vars.end()) return std::nullopt;
    return scalar::index_literal(found->second);
  }));
}

/// What must hold for a tile to be whole; where a loop needs it, how much room there must be.
struct Condition {
  Expr holds;
  std::optional<int> dimension = {};
  int64_t parts = 0;
  Expr room = scalar::index_literal(0);
};

/// Rewrites one register tile; remembers under which conditions all is inside.
class Tile {
 public:
  Tile(const loop::Program& p, std::set<Symbol> defined)
      : program_(p), defined_(std::move(defined)) {}

  /// With the loops and copies whose condition can be stated before the tile.
  Block whole(const Block& statements, const Greatest& around) {
    Block result;
    for (const Stmt& s : statements) {
      if (const auto* choice = s.as<loop::If>(); choice && is_inside(*choice, around)) {
        append(result, whole(choice->then, around));
        continue;
      }
      result.push_back(rewritten(s, around));
    }
    return result;
  }

  const std::vector<Condition>& conditions() const { return conditions_; }

  /// Dimensions of loops that end at an edge in all bodies.
  const std::set<int>& bounded() const { return bounded_; }

 private:
  Stmt rewritten(const Stmt& s, const Greatest& around) {
    const loop::For* loop = as_replicated(s);
    if (!loop) return loop::map_children(s, [&](const Block& b) { return whole(b, around); });
    loop::For result = *loop;
    Greatest inside = around;
    if (const auto trip = constant(loop->trip)) {
      inside[loop->var] = *trip - 1;
    } else if (const auto bound = bound_of(*loop)) {
      inside[loop->var] = bound->parts - 1;
      const size_t before = made_full_.size();
      result.body = whole(loop->body, inside);
      if (is_full(*loop, *bound, around, before)) {
        result.trip = scalar::index_literal(bound->parts);
      } else if (is_digit(program_, loop->var)) {
        bounded_.insert(find_digit(program_, loop->var).dimension);
      }
      return StmtNode{result};
    }
    result.body = whole(loop->body, inside);
    return StmtNode{result};
  }

  /// Both bodies are the same along the dimension.
  bool has_one_body(const loop::Dimension& d) const {
    return d.edge == loop::Edge::clamp || d.edge == loop::Edge::mask;
  }

  bool has_one_body(const Expr& index) const {
    return std::any_of(program_.digits.begin(), program_.digits.end(), [&](const loop::Digit& d) {
      return has_one_body(program_.dimensions[d.dimension]) && mentions(index, d.var);
    });
  }

  /// Whether the loop will run over all of its parts, under the conditions.
  bool is_full(const loop::For& loop, const Bound& bound, const Greatest& around, size_t before) {
    const bool has_digit = is_digit(program_, loop.var);
    if (has_digit && has_one_body(program_.dimensions[find_digit(program_, loop.var).dimension])) {
      return false;
    }
    if (!is_monotone(bound.room, around, true)) return false;
    const Expr room = at_greatest(bound.room, around);
    if (!is_free_of(room, defined_)) return false;
    // A finer loop inside that is full in the last round says so of this one as well.
    if (!has_full_finer({loop.var, bound.room}, before)) {
      Condition needed{
          scalar::binary(BinaryOp::greater_equal, room, scalar::index_literal(bound.parts))};
      if (has_digit && find_digit(program_, loop.var).step == 1) {
        needed.dimension = find_digit(program_, loop.var).dimension;
        needed.parts = bound.parts;
        needed.room = room;
      }
      assume(needed);
    }
    made_full_.push_back({loop.var, bound.room});
    return true;
  }

  /// A loop and the room that it has.
  struct Full {
    Symbol var;
    Expr room;
  };

  bool has_full_finer(const Full& loop, size_t before) const {
    return std::any_of(made_full_.begin() + static_cast<std::ptrdiff_t>(before), made_full_.end(),
                       [&](const Full& inner) { return reaches_as_far(inner, loop); });
  }

  /// Where the inner loop has a round, the outer one has the round around it.
  bool reaches_as_far(const Full& inner, const Full& outer) const {
    if (!is_digit(program_, inner.var) || !is_digit(program_, outer.var)) return false;
    const loop::Digit &finer = find_digit(program_, inner.var),
                      &mine = find_digit(program_, outer.var);
    const auto points = points_in(inner.room, finer.step), all = points_in(outer.room, mine.step);
    if (finer.dimension != mine.dimension || !points || !all) return false;
    const scalar::Linear left = scalar::linear(
        *all - loop::index_variable(mine.var) * scalar::index_literal(mine.step) - *points);
    return left.constant >= 0 &&
           std::all_of(left.terms.begin(), left.terms.end(), [&](const auto& term) {
             return term.second > 0 && is_digit(program_, loop::named(term.first));
           });
  }

  /// Whether a copied element is never beyond an edge, under the conditions.
  bool is_inside(const loop::If& choice, const Greatest& around) {
    if (!choice.otherwise.empty() || around.empty()) return false;
    std::vector<Expr> needed;
    for (const Expr& part : conjuncts(choice.condition)) {
      const auto edge = edge_of(part);
      if (!edge || !is_monotone(edge->index, around, false)) return false;
      if (has_one_body(edge->index)) return false;
      const Expr reached = at_greatest(edge->index, around);
      if (!is_free_of(reached, defined_)) return false;
      needed.push_back(below(reached, edge->extent));
    }
    for (const Expr& condition : needed) assume({condition});
    return true;
  }

  void assume(const Condition& condition) {
    if (decided(condition.holds) == true) return;
    const auto is_same = [&](const Condition& c) { return c.holds == condition.holds; };
    if (std::none_of(conditions_.begin(), conditions_.end(), is_same)) {
      conditions_.push_back(condition);
    }
  }

  const loop::Program& program_;
  std::set<Symbol> defined_;
  std::vector<Condition> conditions_;
  std::vector<Full> made_full_;  // innermost first
  std::set<int> bounded_;
};

class Rewriter {
 public:
  explicit Rewriter(loop::Program p) : program_(std::move(p)), names_(program_) {}

  Block block(const Block& statements) {
    if (!begins_tile(statements)) return inside(statements);
    Tile tile(program_, defined_in(statements));
    Block whole = inside(tile.whole(statements, {}));
    std::vector<Condition> conditions = tile.conditions();
    left_.insert(tile.bounded().begin(), tile.bounded().end());
    if (conditions.empty()) return whole;
    const Block shifts = overlapped(whole, conditions);
    if (shifts.empty()) return split(statements);
    return either(shifts, conditions, whole, statements);
  }

  /// With the buffers of border tiles.
  const loop::Program& program() const { return program_; }

  /// Tiles are shifted back wherever the configuration says so.
  void check_overlaps() const {
    for (const int d : left_) {
      const loop::Dimension& dimension = program_.dimensions[d];
      const bool asked = dimension.edge == loop::Edge::overlap && has_tile_at_edge(program_, d);
      if (!asked || shifted_.contains(d)) continue;
      user_error(
          "E353", {},
          fmt::format("code.edge.{}: the last tile cannot be shifted back", dimension.symbol.name),
          "only tiles are that one core overwrites, never combines, and that read and write "
          "the user's buffers along the dimension; auto, clamp, mask or pad");
    }
  }

 private:
  /// Statements at the beginning that reach no edge are the same in both bodies.
  Block split(const Block& statements) {
    const size_t common = common_statements(program_, statements, [&](const Stmt& s) {
      Tile one(program_, defined_in({s}));
      one.whole({s}, {});
      return !one.conditions().empty();
    });
    const auto at = statements.begin() + static_cast<std::ptrdiff_t>(common);
    const Block before(statements.begin(), at), rest(at, statements.end());
    Tile common_tile(program_, defined_in(before)), tile(program_, defined_in(rest));
    const Block whole = inside(tile.whole(rest, {})), same = inside(common_tile.whole(before, {}));
    internal_check(common_tile.conditions().empty(), "a common part of both bodies has bounds");
    return either(same, tile.conditions(), whole, from_memory(program_, before, rest, names_));
  }

  /// The whole tile if all conditions hold.
  static Block either(Block before, const std::vector<Condition>& conditions, const Block& whole,
                      const Block& border) {
    Facts known;
    std::vector<Expr> all;
    for (const Condition& c : conditions) {
      if (known.imply(c.holds)) continue;
      known.assume(c.holds);
      all.push_back(c.holds);
    }
    if (all.empty()) {
      append(before, whole);
    } else if (decided(all_of(all)) == false) {
      append(before, border);
    } else {
      before.push_back(StmtNode{loop::If{all_of(all), whole, border}});
    }
    return before;
  }

  /// Tiles that would reach over an edge are shifted back where that is allowed: the indices that
  /// say how far.
  Block overlapped(Block& whole, std::vector<Condition>& conditions) {
    Block shifts;
    for (size_t n = 0; n < conditions.size(); ++n) {
      const Condition c = conditions[n];
      const auto is_alike = [&](const Condition& other) { return other.dimension == c.dimension; };
      if (c.dimension) left_.insert(*c.dimension);
      if (!c.dimension || std::count_if(conditions.begin(), conditions.end(), is_alike) > 1) {
        continue;
      }
      if (!may_shift(*c.dimension)) continue;
      const auto shift = shift_of(program_, whole, *c.dimension, c.room, c.parts);
      if (!shift) continue;
      const Symbol var = names_.fresh("shift_" + program_.dimensions[*c.dimension].symbol.name);
      const Expr by = loop::index_variable(var);
      std::vector<Condition> moved = conditions;
      if (!move(moved, whole, shift->dimension, by)) continue;
      shifts.push_back(StmtNode{loop::Let{var, shift->by}});
      whole = shifted(program_, whole, shift->dimension, by);
      moved[n] = {scalar::binary(BinaryOp::greater_equal, shift->before, by)};
      conditions = moved;
      shifted_.insert(shift->dimension);
    }
    return shifts;
  }

  bool may_shift(int dimension) const {
    const loop::Edge edge = program_.dimensions[dimension].edge;
    return edge == loop::Edge::automatic || edge == loop::Edge::overlap;
  }

  /// What other conditions say of indices holds for the shifted ones.
  bool move(std::vector<Condition>& conditions, const Block& whole, int dimension,
            const Expr& by) const {
    for (Condition& c : conditions) {
      const auto* comparison = c.holds.as<scalar::Binary>();
      if (c.dimension == dimension || comparison->op != BinaryOp::less) continue;
      const auto edge = edge_of(c.holds);
      if (!edge) return false;
      const auto index = shifted_index(program_, whole, dimension, edge->index, by);
      if (!index) return false;
      c.holds = below(*index, edge->extent);
    }
    return true;
  }

  Block inside(const Block& statements) {
    Block result;
    for (const Stmt& s : statements) {
      // What is inside of the loops of a tile belongs to it.
      result.push_back(
          as_replicated(s) ? s : loop::map_children(s, [&](const Block& b) { return block(b); }));
    }
    return result;
  }

  bool begins_tile(const Block& statements) const {
    if (has_teams(statements)) return false;
    return std::any_of(statements.begin(), statements.end(), [&](const Stmt& s) {
      const auto* alloc = s.as<loop::Alloc>();
      return as_replicated(s) ||
             (alloc && find_buffer(program_, alloc->buffer).scope == loop::Scope::registers);
    });
  }

  loop::Program program_;
  Names names_;
  std::set<int> left_, shifted_;  // dimensions along which tiles reach over an edge, or do not
};

}  // namespace

loop::Program two_bodies(const loop::Program& program) {
  Rewriter rewriter(program);
  const Block body = rewriter.block(program.body);
  rewriter.check_overlaps();
  loop::Program result = rewriter.program();
  result.body = body;
  return result;
}

}  // namespace mdh::passes
