#include "mdh/passes/concrete/copy_nest.h"

#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::For;
using loop::Stmt;
using loop::StmtNode;

std::optional<CopyNest> copy_nest_of(const Stmt& s) {
  CopyNest nest;
  const Stmt* inner = &s;
  for (const For* loop = s.as<For>(); loop; loop = inner->as<For>()) {
    const bool counted = constant(loop->trip) || bound_of(*loop);
    if (loop->how != loop::How::sequential || !is_element_loop(*loop) || !counted) break;
    For bare = *loop;
    bare.body.clear();
    nest.loops.push_back(bare);
    nest.element = loop->body;
    if (loop->body.size() != 1) break;
    inner = &loop->body.front();
  }
  if (nest.loops.empty() || nest.element.empty()) return std::nullopt;
  if (const auto* choice = nest.element.front().as<loop::If>()) {
    if (nest.element.size() != 1 || !choice->otherwise.empty()) return std::nullopt;
    nest.conditions = conjuncts(choice->condition);
    nest.element = Block(choice->then);
  }
  return is_element_copy(nest.element) ? std::optional(nest) : std::nullopt;
}

Block loops_from(const CopyNest& nest, size_t depth) {
  Block body = nest.element;
  if (!nest.conditions.empty()) {
    body = {StmtNode{loop::If{all_of(nest.conditions), nest.element, {}}}};
  }
  for (size_t n = nest.loops.size(); n > depth; --n) {
    For loop = nest.loops[n - 1];
    loop.body = body;
    body = {StmtNode{loop}};
  }
  return body;
}

}  // namespace mdh::passes
