#include "mdh/passes/hoist.h"

#include <algorithm>

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Stmt;

/// A Let may leave a loop unless it mentions the loop's variable or something that another Let of
/// the body defines and that stays inside.
Block hoisted(const Block& block) {
  Block result;
  for (const Stmt& s : block) {
    const Stmt inner = loop::map_children(s, hoisted);
    const auto* loop = inner.as<loop::For>();
    if (!loop) {
      result.push_back(inner);
      continue;
    }
    std::vector<Symbol> bound = {loop->var};
    Block stays;
    for (const Stmt& child : loop->body) {
      const auto* let = child.as<loop::Let>();
      const bool free = let && std::none_of(bound.begin(), bound.end(), [&](const Symbol& symbol) {
                          return scalar::mentions(let->value, symbol);
                        });
      if (free) {
        result.push_back(child);
        continue;
      }
      if (let) bound.push_back(let->var);
      stays.push_back(child);
    }
    loop::For rest = *loop;
    rest.body = stays;
    result.push_back(loop::StmtNode{rest});
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
