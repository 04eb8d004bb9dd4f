#include "mdh/passes/concrete/copy_bounds.h"

#include <algorithm>

#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/concrete/copy_nest.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::For;
using loop::Stmt;
using loop::StmtNode;

/// Blocks of elements that are decided together do not reach further than this.
constexpr int64_t most_together = 64;

/// Counters of the nest that an index grows with, by their depth; nothing if it is not clear how.
std::optional<std::vector<size_t>> counters_of(const CopyNest& nest, const Expr& index) {
  std::vector<size_t> found;
  for (size_t n = 0; n < nest.loops.size(); ++n) {
    const auto slope = scalar::coefficient(index, nest.loops[n].var);
    if (!slope || *slope < 0) return std::nullopt;
    if (*slope > 0) found.push_back(n);
  }
  return found;
}

/// Conditions on a single counter are trip counts.
void bound_loops(CopyNest& nest) {
  std::erase_if(nest.conditions, [&](const Expr& condition) {
    const auto edge = edge_of(condition);
    const auto counters = edge ? counters_of(nest, edge->index) : std::nullopt;
    if (!counters || counters->size() != 1) return false;
    For& loop = nest.loops[counters->front()];
    const int64_t slope = *scalar::coefficient(edge->index, loop.var);
    const Expr room =
        scalar::index_literal(edge->extent) - scalar::with_value(edge->index, loop.var, 0);
    loop.trip = bounded(loop.trip, parts_holding(room, slope));
    return true;
  });
}

/// How many elements a counter reaches from its first to its last value.
int64_t reach(const For& loop, const Expr& index) {
  const auto bound = bound_of(loop);
  const int64_t parts = bound ? bound->parts : *constant(loop.trip);
  return *scalar::coefficient(index, loop.var) * (parts - 1);
}

/// Splits a nest by what holds for all elements of its inner loops.
class Splitter {
 public:
  explicit Splitter(const CopyNest& nest) : nest_(nest), inside_(nest) {
    std::erase_if(inside_.conditions, [&](const Expr& condition) {
      const auto edge = edge_of(condition);
      return edge && take(*edge);
    });
    for (Stmt& s : inside_.element) s = free_of_edges(s);
  }

  Block result() const {
    if (needed_.empty()) return loops_from(nest_, 0);
    Block body = {StmtNode{
        loop::If{all_of(needed_), loops_from(inside_, depth_), loops_from(nest_, depth_)}}};
    for (size_t n = depth_; n > 0; --n) {
      For loop = nest_.loops[n - 1];
      loop.body = body;
      body = {StmtNode{loop}};
    }
    return body;
  }

 private:
  /// Whether the edge can be decided before the inner loops; then it is.
  bool take(const Edge& edge) {
    const auto counters = counters_of(nest_, edge.index);
    if (!counters) return false;
    int64_t together = 0;
    size_t depth = 0;
    Expr furthest = edge.index;
    for (auto n = counters->rbegin(); n != counters->rend(); ++n) {
      const For& loop = nest_.loops[*n];
      const int64_t more = reach(loop, edge.index);
      if (together + more >= most_together) {
        if (together == 0) return false;
        depth = *n + 1;
        break;
      }
      together += more;
      const int64_t slope = *scalar::coefficient(edge.index, loop.var);
      furthest = scalar::with_value(furthest, loop.var, more / slope);
    }
    needed_.push_back(below(simplify(furthest), edge.extent));
    depth_ = std::max(depth_, depth);
    return true;
  }

  Stmt free_of_edges(const Stmt& s) {
    return loop::map_expressions(s, [&](const Expr& e) {
      const auto edge = held_back_at(e);
      return edge && take(*edge) ? edge->index : e;
    });
  }

  const CopyNest& nest_;
  CopyNest inside_;
  std::vector<Expr> needed_;
  size_t depth_ = 0;  // so many loops are outside of the decision
};

Block with_copy_bounds(const Block& statements) {
  Block result;
  for (const Stmt& s : statements) {
    auto nest = copy_nest_of(s);
    if (!nest) {
      result.push_back(loop::map_children(s, with_copy_bounds));
      continue;
    }
    bound_loops(*nest);
    for (const Stmt& split : Splitter(*nest).result()) result.push_back(split);
  }
  return result;
}

}  // namespace

loop::Program copy_bounds(const loop::Program& program) {
  loop::Program result = program;
  result.body = with_copy_bounds(program.body);
  return result;
}

}  // namespace mdh::passes
