#include "mdh/passes/concrete/last_rounds.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/facts.h"
#include "mdh/passes/common/instance.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;

/// Nothing is missing, so that nothing is shifted.
bool is_zero(const Expr& shift, const Facts& known) {
  const auto missing = missing_of(shift);
  return missing &&
         known.imply(scalar::binary(BinaryOp::less_equal, *missing, scalar::index_literal(0)));
}

class RoundSplitter {
 public:
  explicit RoundSplitter(const loop::Program& p) : program_(p), names_(p) {}

  Block block(const Block& statements, const Facts& known) {
    Block result;
    for (const Stmt& s : statements) {
      const size_t before = splits_;
      const Facts inside = known_inside(s, known);
      const Stmt inner =
          loop::map_children(s, [&](const Block& child) { return block(child, inside); });
      const auto* loop = inner.as<loop::For>();
      if (loop && splits_ == before && is_shifted_at_the_end(*loop, known)) {
        append(result, split(*loop));
      } else {
        result.push_back(inner);
      }
    }
    return result;
  }

 private:
  /// Some shift is 0 in all rounds but the last one.
  bool is_shifted_at_the_end(const loop::For& loop, const Facts& known) const {
    const auto trip = constant(loop.trip);
    if (loop.how != loop::How::sequential || !trip || *trip < loop.first + 2) return false;
    if (has_teams(loop.body) || chooses_instance(program_, loop)) return false;
    Facts others = known, all = known;
    others.assume_below(loop.var, scalar::index_literal(*trip - 1));
    all.assume_below(loop.var, loop.trip);
    return std::any_of(loop.body.begin(), loop.body.end(), [&](const Stmt& s) {
      const auto* let = s.as<loop::Let>();
      return let && is_zero(let->value, others) && !is_zero(let->value, all);
    });
  }

  Block split(const loop::For& loop) {
    ++splits_;
    const int64_t last = *constant(loop.trip) - 1;
    loop::For others = loop;
    others.trip = scalar::index_literal(last);
    Block result = {StmtNode{others}};
    append(result, round_of(loop, last, names_));
    return result;
  }

  const loop::Program& program_;
  Names names_;
  size_t splits_ = 0;
};

}  // namespace

loop::Program last_rounds(const loop::Program& program) {
  loop::Program result = program;
  result.body = RoundSplitter(program).block(program.body, {});
  return result;
}

}  // namespace mdh::passes
