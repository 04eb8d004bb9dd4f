#include "mdh/passes/place_copies.h"

#include "mdh/passes/geometry.h"
#include "mdh/passes/names.h"
#include "mdh/passes/walk.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::StmtNode;

/// What is done for one element.
Block moved(const loop::Copy& copy, Names& names) {
  if (copy.transport == loop::Transport::async) {
    return {StmtNode{loop::AsyncCopy{copy.to, copy.from}}};
  }
  const Symbol value = names.fresh(copy.to.buffer.name + "_x");
  return {StmtNode{loop::Load{value, copy.from}}, StmtNode{loop::Store{copy.to, value}}};
}

Block placed(const loop::Copy& copy, Names& names) {
  Block body = moved(copy, names);
  std::optional<loop::Expr> inside;
  for (const loop::Expr& condition : copy.within) {
    inside = inside ? scalar::binary(scalar::BinaryOp::logical_and, *inside, condition) : condition;
  }
  if (inside) body = {StmtNode{loop::If{*inside, body, {}}}};
  for (auto axis = copy.axes.rbegin(); axis != copy.axes.rend(); ++axis) {
    body = {StmtNode{
        loop::For{axis->var, scalar::index_literal(axis->count), loop::How::sequential, "", body}}};
  }
  return body;
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
