#include "mdh/passes/concrete/borders.h"

#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/common/walk.h"

namespace mdh::passes {
namespace {

/// Cores that meet in the body do so without asking first.
bool is_masked(const loop::Program& p, const loop::Digit& digit, const loop::Expr& rounds,
               const loop::Block& body) {
  return p.dimensions[digit.dimension].edge == loop::Edge::mask && is_replicated(digit.how) &&
         !constant(rounds) && !has_teams(body);
}

/// All rounds; those without points do nothing.
loop::Block masked(const loop::Program& p, std::vector<loop::Digit> around,
                   const loop::Digit& digit, const loop::Block& body) {
  around.push_back(digit);
  const loop::Expr exists =
      below(base(around, digit.dimension), p.dimensions[digit.dimension].size);
  const loop::Block guarded = {loop::StmtNode{loop::If{exists, body, {}}}};
  return {loop::StmtNode{
      loop::For{digit.var, scalar::index_literal(digit.parts), digit.how, digit.level, guarded}}};
}

}  // namespace

loop::Program borders(const loop::Program& program) {
  return rewritten(program, [&](const loop::Stmt& s, const std::vector<loop::Digit>& around) {
    const auto* loop = s.as<loop::Loop>();
    if (!loop) return loop::Block{s};
    const loop::Digit& digit = find_digit(program, loop->digit);
    // Cores outside of the grid that they belong to: every member does their parts one by one.
    const bool dealt = digit.how == loop::How::cores || digit.how == loop::How::grid;
    const loop::How how = dealt ? loop::How::sequential : digit.how;
    const loop::Expr rounds = trip(program, around, digit);
    if (is_masked(program, digit, rounds, loop->body)) {
      return masked(program, around, digit, loop->body);
    }
    return loop::Block{loop::StmtNode{loop::For{digit.var, rounds, how, digit.level, loop->body}}};
  });
}

}  // namespace mdh::passes
