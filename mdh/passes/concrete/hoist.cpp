#include "mdh/passes/concrete/hoist.h"

#include <algorithm>

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Stmt;

int definitions(const Block& block, const Symbol& symbol) {
  int count = 0;
  for (const Stmt& s : block) {
    const auto* let = s.as<loop::Let>();
    count += let && let->var == symbol ? 1 : 0;
    loop::for_each_child(s, [&](const Block& child) { count += definitions(child, symbol); });
  }
  return count;
}

/// Moves the Lets of a loop's body to the end of `before`, unless they mention the loop's variable
/// or another Let that stays inside, or neighbours in `around` define the same name: names are
/// unique.
Stmt without_invariants(const loop::For& loop, const Block& around, Block& before) {
  loop::For rest{loop.var, loop.trip, loop.how, loop.level, {}, loop.first};
  std::vector<Symbol> bound = {loop.var};
  for (const Stmt& s : loop.body) {
    const auto* let = s.as<loop::Let>();
    const auto depends = [&](const Symbol& symbol) { return mentions(let->value, symbol); };
    const bool leaves = let && std::none_of(bound.begin(), bound.end(), depends) &&
                        definitions(around, let->var) == 1;
    if (let && !leaves) bound.push_back(let->var);
    (leaves ? before : rest.body).push_back(s);
  }
  return loop::StmtNode{rest};
}

Block hoisted(const Block& statements) {
  Block block;
  for (const Stmt& s : statements) block.push_back(loop::map_children(s, hoisted));
  Block result;
  for (const Stmt& s : block) {
    const auto* loop = s.as<loop::For>();
    result.push_back(loop ? without_invariants(*loop, block, result) : s);
  }
  return result;
}

}  // namespace

loop::Program hoist(const loop::Program& program) {
  loop::Program result = program;
  result.body = hoisted(program.body);
  return result;
}

}  // namespace mdh::passes
