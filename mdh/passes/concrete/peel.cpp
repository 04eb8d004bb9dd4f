#include "mdh/passes/concrete/peel.h"

#include <algorithm>

#include "mdh/passes/common/conditions.h"
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

/// One of the things that must all hold is that the round is the first one.
bool needs_first(const Expr& condition, const Symbol& var) {
  const std::vector<Expr> all = conjuncts(condition);
  return std::any_of(all.begin(), all.end(),
                     [&](const Expr& one) { return is_first_round(one, var); });
}

/// One of the things that must all hold is that it is not.
bool excludes_first(const Expr& condition, const Symbol& var) {
  const std::vector<Expr> all = conjuncts(condition);
  return std::any_of(all.begin(), all.end(),
                     [&](const Expr& one) { return is_later_round(one, var); });
}

/// What is left of the condition in the first round; nothing if it then holds.
std::optional<Expr> in_first(const Expr& condition, const Symbol& var) {
  std::vector<Expr> all = conjuncts(condition);
  std::erase_if(all, [&](const Expr& one) { return is_first_round(one, var); });
  return all.empty() ? std::nullopt : std::optional(all_of(all));
}

class Peeler {
 public:
  explicit Peeler(const loop::Program& p) : program_(p), names_(p) {}

  Block block(const Block& statements) {
    Block result;
    for (const Stmt& s : statements) {
      const Stmt inner = loop::map_children(s, [&](const Block& child) { return block(child); });
      const auto* loop = inner.as<loop::For>();
      if (loop && decides(*loop)) {
        const Block peeled_loop = peeled(*loop);
        result.insert(result.end(), peeled_loop.begin(), peeled_loop.end());
      } else {
        result.push_back(inner);
      }
    }
    return result;
  }

 private:
  bool decides(const loop::For& loop) const {
    // Rounds of other loops are written out, and then need not decide.
    if (loop.first != 0 || loop.how != loop::How::sequential) return false;
    const bool peeled = any_of(loop.body, [](const Stmt& s) {
      const auto* inner = s.as<loop::For>();  // doing so again would double the code again
      return inner && inner->first != 0;
    });
    if (peeled || has_teams(loop.body)) return false;
    // Joining costs little beside loops inside: no reason to write them twice.
    const bool innermost = !any_of(loop.body, [](const Stmt& s) { return s.as<loop::For>(); });
    const bool asks = any_of(loop.body, [&](const Stmt& s) {
      const auto* choice = s.as<loop::If>();
      return choice && (needs_first(choice->condition, loop.var) ||
                        (innermost && excludes_first(choice->condition, loop.var)));
    });
    return asks && !chooses_instance(program_, loop);
  }

  Block peeled(const loop::For& loop) {
    Instance zero(names_);
    zero.set(loop.var, scalar::index_literal(0));
    Block first = first_round(loop.body, loop.var, zero);
    loop::For rest = loop;
    rest.body = other_rounds(loop.body, loop.var);
    rest.first = 1;
    if (const auto trip = constant(loop.trip); !trip || *trip < 1) {
      const Expr runs = scalar::binary(BinaryOp::greater, loop.trip, scalar::index_literal(0));
      first = {StmtNode{loop::If{runs, first, {}}}};
    }
    first.push_back(StmtNode{rest});
    return first;
  }

  /// With the variable 0, and names of its own for all that it defines.
  static Block first_round(const Block& statements, const Symbol& var, Instance zero) {
    Block result;
    for (const Stmt& s : statements) {
      const auto* choice = s.as<loop::If>();
      if (choice && excludes_first(choice->condition, var)) {
        const Block otherwise = first_round(choice->otherwise, var, zero);
        result.insert(result.end(), otherwise.begin(), otherwise.end());
        continue;
      }
      if (choice && needs_first(choice->condition, var)) {
        const Block then = first_round(choice->then, var, zero);
        const auto left = in_first(choice->condition, var);
        if (!left) {
          result.insert(result.end(), then.begin(), then.end());
        } else {
          result.push_back(StmtNode{
              loop::If{zero.expression(*left), then, first_round(choice->otherwise, var, zero)}});
        }
        continue;
      }
      const Stmt inner =
          loop::map_children(s, [&](const Block& child) { return first_round(child, var, zero); });
      result.push_back(zero.statement(inner));
    }
    return result;
  }

  static Block other_rounds(const Block& statements, const Symbol& var) {
    Block result;
    for (const Stmt& s : statements) {
      const auto* choice = s.as<loop::If>();
      if (choice && needs_first(choice->condition, var)) {
        const Block rest = other_rounds(choice->otherwise, var);
        result.insert(result.end(), rest.begin(), rest.end());
      } else {
        result.push_back(
            loop::map_children(s, [&](const Block& child) { return other_rounds(child, var); }));
      }
    }
    return result;
  }

  const loop::Program& program_;
  Names names_;
};

}  // namespace

loop::Program peel(const loop::Program& program) {
  loop::Program result = program;
  result.body = Peeler(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
