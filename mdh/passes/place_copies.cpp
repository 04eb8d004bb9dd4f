#include "mdh/passes/place_copies.h"

#include <algorithm>

#include "mdh/passes/names.h"
#include "mdh/passes/walk.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::StmtNode;

Block guarded(const Block& body, const std::vector<loop::Expr>& conditions) {
  std::optional<loop::Expr> all;
  for (const loop::Expr& condition : conditions) {
    all = all ? scalar::binary(scalar::BinaryOp::logical_and, *all, condition) : condition;
  }
  return all ? Block{StmtNode{loop::If{*all, body, {}}}} : body;
}

/// Conditions that are the same for the whole tile are decided before it.
Block placed(const loop::Copy& copy, Names& names) {
  const Symbol value = names.fresh(copy.to.buffer.name + "_x");
  std::vector<loop::Expr> before, inside;
  for (const loop::Expr& condition : copy.within) {
    const bool varies = std::any_of(copy.axes.begin(), copy.axes.end(), [&](const auto& axis) {
      return mentions(condition, axis.var);
    });
    (varies ? inside : before).push_back(condition);
  }
  Block body = {StmtNode{loop::Load{value, copy.from}}, StmtNode{loop::Store{copy.to, value}}};
  body = guarded(body, inside);
  for (auto axis = copy.axes.rbegin(); axis != copy.axes.rend(); ++axis) {
    body = {StmtNode{
        loop::For{axis->var, scalar::index_literal(axis->count), loop::How::sequential, "", body}}};
  }
  return guarded(body, before);
}

}  // namespace

loop::Program place_copies(const loop::Program& program) {
  Names names(program);
  return rewritten(program, [&](const loop::Stmt& s, const std::vector<loop::Digit>&) {
    const auto* copy = s.as<loop::Copy>();
    return copy ? placed(*copy, names) : Block{s};
  });
}

}  // namespace mdh::passes
