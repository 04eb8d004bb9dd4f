#include "mdh/passes/structured/roll.h"

#include <algorithm>
#include <set>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Copy;
using loop::Counter;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::index_literal;

Counter& axis_of(Copy& copy, const Symbol& var) {
  return *std::find_if(copy.axes.begin(), copy.axes.end(),
                       [&](const Counter& c) { return c.var == var; });
}

/// The expressions, `by` places further along an axis.
void shift(std::vector<Expr>& all, const Symbol& axis, int64_t by) {
  const Expr place = loop::index_variable(axis) + index_literal(by);
  for (Expr& e : all) {
    e = simplify(substitute(e, [&](const scalar::Variable& v, const Expr&) {
      return v.symbol == axis ? std::optional(place) : std::nullopt;
    }));
  }
}

/// What both iterations have. Places that hold nothing in this one held nothing in the last one.
Copy moved(Copy copy) {
  Counter axis = axis_of(copy, copy.roll->axis);
  axis.count -= copy.roll->by;
  copy.from = copy.to;
  shift(copy.from.index, axis.var, copy.roll->by);
  std::erase_if(copy.axes, [&](const Counter& c) { return c.var == axis.var; });
  copy.axes.push_back(axis);
  return copy;
}

/// What only this iteration has.
Copy added(Copy copy) {
  Counter& axis = axis_of(copy, copy.roll->axis);
  const int64_t kept = axis.count - copy.roll->by;
  axis.count = copy.roll->by;
  for (auto* all : {&copy.to.index, &copy.from.index, &copy.within}) shift(*all, axis.var, kept);
  return copy;
}

Stmt only(Copy copy, Expr (*in_round)(const Expr&)) {
  copy.within.insert(copy.within.begin(), in_round(loop::index_variable(copy.roll->digit)));
  copy.roll.reset();
  return StmtNode{copy};
}

Block steps(const Copy& copy) {
  return {only(copy, first_round), only(moved(copy), later_round), only(added(copy), later_round)};
}

std::set<std::string> tiles_along(const loop::Loop& loop) {
  std::set<std::string> tiles;
  for (const Stmt& s : loop.body) {
    const auto* copy = s.as<Copy>();
    if (copy && copy->roll && copy->roll->digit == loop.digit) tiles.insert(copy->to.buffer.name);
  }
  return tiles;
}

/// Tiles that roll along the loop begin anew before it.
Block rolled(const loop::Loop& loop) {
  const std::set<std::string> tiles = tiles_along(loop);
  Block result;
  loop::Loop inner{loop.digit, {}};
  for (const Stmt& s : loop.body) {
    const auto* alloc = s.as<loop::Alloc>();
    const auto* copy = s.as<Copy>();
    if (alloc && tiles.contains(alloc->buffer.name)) {
      result.push_back(s);
    } else if (copy && tiles.contains(copy->to.buffer.name)) {
      append(inner.body, steps(*copy));
    } else {
      inner.body.push_back(s);
    }
  }
  result.push_back(StmtNode{inner});
  return result;
}

Block rolled(const Block& statements) {
  Block result;
  for (const Stmt& s : statements) {
    const Stmt inner = loop::map_children(s, [](const Block& child) { return rolled(child); });
    const auto* loop = inner.as<loop::Loop>();
    append(result, loop ? rolled(*loop) : Block{inner});
  }
  return result;
}

}  // namespace

loop::Program roll(const loop::Program& program) {
  loop::Program result = program;
  result.body = rolled(program.body);
  return result;
}

}  // namespace mdh::passes
