#include "mdh/passes/concrete/simplify.h"

#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;

Expr with_zero(const Expr& e, const Symbol& symbol) {
  return substitute(e, [&](const scalar::Variable& v, const Expr&) {
    return v.symbol == symbol ? std::optional(scalar::index_literal(0)) : std::nullopt;
  });
}

Block with_zero(const Block& block, const Symbol& symbol) {
  Block result;
  for (const Stmt& s : block) {
    const Stmt inner =
        loop::map_children(s, [&](const Block& child) { return with_zero(child, symbol); });
    result.push_back(
        loop::map_expressions(inner, [&](const Expr& e) { return with_zero(e, symbol); }));
  }
  return result;
}

bool is_dead(const Stmt& s) {
  const auto* choice = s.as<loop::If>();
  return choice && choice->otherwise.empty() && decided(choice->condition) == false;
}

Block simplified(const loop::Program& p, const Block& block) {
  Block result;
  for (const Stmt& s : block) {
    const Stmt inner = loop::map_children(s, [&](const Block& b) { return simplified(p, b); });
    const Stmt folded = loop::map_expressions(inner, scalar::simplify);
    const auto* loop = folded.as<loop::For>();
    const auto trip = loop ? constant(loop->trip) : std::nullopt;
    if (is_dead(folded) || (loop && trip && *trip <= loop->first)) continue;
    if (trip == 1 && !chooses_instance(p, *loop)) {
      const Block body = simplified(p, with_zero(loop->body, loop->var));
      result.insert(result.end(), body.begin(), body.end());
    } else {
      result.push_back(folded);
    }
  }
  return result;
}

}  // namespace

loop::Program simplify(const loop::Program& program) {
  loop::Program result = program;
  result.body = simplified(program, program.body);
  while (!result.body.empty() && result.body.back().as<loop::Barrier>()) result.body.pop_back();
  return result;
}

}  // namespace mdh::passes
