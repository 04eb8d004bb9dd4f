#include "mdh/passes/registers/unswitch.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/replicated.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;

/// What of a condition is the same in all rounds of a loop, and what is not.
struct Parts {
  std::vector<Expr> same, others;
};

Parts parts_of(const loop::If& choice, const std::set<Symbol>& defined) {
  Parts parts;
  for (const Expr& c : conjuncts(choice.condition)) {
    (is_free_of(c, defined) ? parts.same : parts.others).push_back(c);
  }
  return parts;
}

bool has_effect(const Block& block) {
  return any_of(block, [](const Stmt& s) {
    return s.as<loop::Store>() || s.as<loop::AsyncCopy>() || s.as<loop::Commit>() ||
           s.as<loop::Wait>() || s.as<loop::AtomicCombine>() || s.as<loop::AtomicTake>();
  });
}

loop::For with_body(const loop::For& loop, const Block& before, const Block& instead,
                    const Block& after) {
  loop::For result = loop;
  result.body = before;
  append(result.body, instead);
  append(result.body, after);
  return result;
}

Block block(const Block& statements);

/// The loop, or the choice between two of them.
Block unswitched(const loop::For& loop) {
  std::set<Symbol> defined = defined_in(loop.body);
  defined.insert(loop.var);
  for (auto at = loop.body.begin(); at != loop.body.end(); ++at) {
    const auto* choice = at->as<loop::If>();
    if (!choice) continue;
    const Parts parts = parts_of(*choice, defined);
    if (parts.same.empty()) continue;
    const Block before(loop.body.begin(), at), after(at + 1, loop.body.end());
    const Block then =
        parts.others.empty()
            ? choice->then
            : Block{StmtNode{loop::If{all_of(parts.others), choice->then, choice->otherwise}}};
    const loop::For yes = with_body(loop, before, then, after);
    const loop::For no = with_body(loop, before, choice->otherwise, after);
    return {StmtNode{loop::If{all_of(parts.same), unswitched(yes),
                              has_effect(no.body) ? unswitched(no) : Block{}}}};
  }
  return {StmtNode{loop}};
}

Block block(const Block& statements) {
  Block result;
  for (const Stmt& s : statements) {
    const Stmt inner = loop::map_children(s, block);
    const loop::For* loop = as_replicated(inner);
    if (loop && !has_teams(loop->body)) {
      append(result, unswitched(*loop));
    } else {
      result.push_back(inner);
    }
  }
  return result;
}

}  // namespace

loop::Program unswitch(const loop::Program& program) {
  loop::Program result = program;
  result.body = block(program.body);
  return result;
}

}  // namespace mdh::passes
