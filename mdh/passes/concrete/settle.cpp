#include "mdh/passes/concrete/settle.h"

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/facts.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;

Block settled_block(const Block& statements, const Facts& known);

bool has_counters(const Stmt& s) {
  return s.as<loop::For>() || s.as<loop::Lanes>() || s.as<loop::Deal>();
}

/// The greater side of a maximum, or the lesser one of a minimum, if that is known.
Expr settled(const Expr& e, const Facts& known) {
  const auto* b = e.as<scalar::Binary>();
  if (!b || (b->op != BinaryOp::maximum && b->op != BinaryOp::minimum)) return e;
  const bool rises = known.imply(scalar::binary(BinaryOp::less_equal, b->left, b->right));
  const bool falls = known.imply(scalar::binary(BinaryOp::less_equal, b->right, b->left));
  if (rises) return b->op == BinaryOp::maximum ? b->right : b->left;
  if (falls) return b->op == BinaryOp::maximum ? b->left : b->right;
  return e;
}

Stmt settled_let(const loop::Let& let, Facts& known) {
  const Expr value = settled(let.value, known);
  if (const auto number = constant(value); number && *number >= 0) {
    known.set_range(let.var, *number);
  }
  known.define(let.var, value);
  return StmtNode{loop::Let{let.var, value}};
}

/// Without a bound that it never reaches.
Stmt settled_loop(loop::For loop, const Facts& known) {
  const auto bound = bound_of(loop);
  const Expr parts = scalar::index_literal(bound ? bound->parts : 0);
  if (bound && known.imply(scalar::binary(BinaryOp::less_equal, parts, bound->room))) {
    loop.trip = parts;
  }
  return StmtNode{loop};
}

Block settled_choice(const loop::If& choice, const Facts& known) {
  const auto open = known.open_part(choice.condition);
  if (!open) return settled_block(choice.then, known);
  if (decided(*open) == false) return settled_block(choice.otherwise, known);
  Facts then = known;
  then.assume(choice.condition);
  return {StmtNode{
      loop::If{*open, settled_block(choice.then, then), settled_block(choice.otherwise, known)}}};
}

Block settled_block(const Block& statements, const Facts& around) {
  Block result;
  Facts known = around;
  for (const Stmt& s : statements) {
    if (const auto* let = s.as<loop::Let>()) {
      result.push_back(settled_let(*let, known));
      continue;
    }
    if (const auto* choice = s.as<loop::If>()) {
      append(result, settled_choice(*choice, known));
      continue;
    }
    if (!has_counters(s)) {
      result.push_back(
          loop::map_children(s, [&](const Block& child) { return settled_block(child, known); }));
      continue;
    }
    const Facts more = known_inside(s, known);
    Stmt inner =
        loop::map_children(s, [&](const Block& child) { return settled_block(child, more); });
    if (const auto* loop = inner.as<loop::For>()) inner = settled_loop(*loop, known);
    result.push_back(inner);
  }
  return result;
}

}  // namespace

loop::Program settle(const loop::Program& program) {
  loop::Program result = program;
  result.body = settled_block(program.body, {});
  return result;
}

}  // namespace mdh::passes
