#include "mdh/passes/concrete/whole_rounds.h"

#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;

class WholeRounds {
 public:
  explicit WholeRounds(const loop::Program& p) : program_(p) {}

  Block block(const Block& statements) {
    Block result;
    for (const Stmt& s : statements) {
      const size_t before = doubled_;
      const Stmt inner = loop::map_children(s, [&](const Block& child) { return block(child); });
      const auto* loop = inner.as<loop::For>();
      result.push_back(loop && doubled_ == before && is_cut_short(*loop) ? doubled(*loop) : inner);
    }
    return result;
  }

 private:
  bool is_cut_short(const loop::For& loop) const {
    if (loop.how != loop::How::sequential || !is_digit(program_, loop.var)) return false;
    return find_digit(program_, loop.var).unroll > 1 && bound_of(loop) && !has_teams(loop.body) &&
           uses_registers(program_, StmtNode{loop});
  }

  Stmt doubled(const loop::For& loop) {
    ++doubled_;
    const Bound bound = *bound_of(loop);
    const Expr parts = scalar::index_literal(bound.parts), round = loop::index_variable(loop.var);
    loop::For whole = loop, cut = loop;
    whole.trip = cut.trip = parts;
    cut.body = {
        StmtNode{loop::If{scalar::binary(BinaryOp::less, round, bound.room), loop.body, {}}}};
    const Expr all = scalar::binary(BinaryOp::greater_equal, bound.room, parts);
    return StmtNode{loop::If{all, {StmtNode{whole}}, {StmtNode{cut}}}};
  }

  const loop::Program& program_;
  size_t doubled_ = 0;
};

}  // namespace

loop::Program whole_rounds(const loop::Program& program, const machine::TargetFacts& facts) {
  loop::Program result = program;
  if (facts.teams == machine::Teams::nested) result.body = WholeRounds(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
