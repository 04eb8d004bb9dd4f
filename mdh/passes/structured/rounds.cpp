#include "mdh/passes/structured/rounds.h"

#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Expr;
using loop::index_variable;
using scalar::binary;
using scalar::BinaryOp;
using scalar::index_literal;

int64_t Rounds::count() const { return inner_.parts * (outer_ ? outer_->parts : 1); }

Rounds::Round Rounds::first(int64_t n) const {
  const Expr number = index_literal(n);
  if (!outer_) return {number, number, index_literal(0), number};
  return {number, index_literal(n % inner_.parts), index_literal(n / inner_.parts), number};
}

Rounds::Round Rounds::later(int64_t by) const {
  const Expr soon = index_variable(inner_.var) + index_literal(by);
  if (!outer_) return {soon, soon, index_literal(0), soon};
  const Expr outer = index_variable(outer_->var), parts = index_literal(inner_.parts);
  const Expr number = outer * parts + soon;
  if (by == 0) return {number, soon, outer, soon};
  return {number, binary(BinaryOp::remainder, soon, parts),
          outer + binary(BinaryOp::divide, soon, parts), soon};
}

Expr Rounds::exists(const Round& round) const { return below(round.number, count()); }

Expr Rounds::slot(const Round& round, int64_t depth) const {
  // The loop outside changes nothing where the inner one goes through all slots, and again.
  const Expr& counted = inner_.parts % depth == 0 ? round.turn : round.number;
  return simplify(binary(BinaryOp::remainder, counted, index_literal(depth)));
}

Expr Rounds::at(const Expr& e, const Round& round) const {
  const Expr inside = with_value(e, inner_.var, round.inner);
  return outer_ ? with_value(inside, outer_->var, round.outer) : inside;
}

}  // namespace mdh::passes
