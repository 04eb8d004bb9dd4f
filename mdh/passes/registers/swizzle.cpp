#include "mdh/passes/registers/swizzle.h"

#include <algorithm>

#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Element;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;

class Swizzler {
 public:
  Swizzler(const loop::Program& p, const machine::TargetFacts& facts)
      : program_(p), facts_(facts) {}

  Block block(const Block& statements) const {
    Block result;
    for (const Stmt& s : statements) {
      StmtNode node =
          loop::map_children(s, [&](const Block& child) { return block(child); }).node();
      if (auto* load = std::get_if<loop::Load>(&node.is)) move(load->from);
      if (auto* store = std::get_if<loop::Store>(&node.is)) move(store->to);
      if (auto* load = std::get_if<loop::WideLoad>(&node.is)) move(load->from);
      if (auto* store = std::get_if<loop::WideStore>(&node.is)) move(store->to);
      if (auto* copy = std::get_if<loop::AsyncCopy>(&node.is)) {
        move(copy->from);
        move(copy->to);
      }
      if (auto* square = std::get_if<loop::Transpose>(&node.is)) expect_plain(*square);
      result.push_back(node);
    }
    return result;
  }

 private:
  /// Elements of squares lie side by side, those of swizzled lines do not.
  void expect_plain(const loop::Transpose& s) const {
    for (const Element& e : {s.to, s.from}) {
      internal_check(!is_swizzled(find_buffer(program_, e.buffer), facts_),
                     "a square of a swizzled tile");
    }
  }

  void move(Element& e) const {
    const loop::Buffer& b = find_buffer(program_, e.buffer);
    if (!is_swizzled(b, facts_)) return;
    const Expr row = e.index[e.index.size() - 2];
    const Expr turn = scalar::binary(BinaryOp::remainder, row, scalar::index_literal(b.swizzle)) *
                      scalar::index_literal(scalar::elements_of_piece(b.type));
    e.index.back() = simplify(scalar::binary(BinaryOp::bit_xor, e.index.back(), turn));
  }

  const loop::Program& program_;
  const machine::TargetFacts& facts_;
};

}  // namespace

bool is_swizzled(const loop::Buffer& b, const machine::TargetFacts& facts) {
  return b.swizzle > 1 && b.scope == loop::Scope::group && facts.teams == machine::Teams::nested;
}

loop::Program swizzle(const loop::Program& program, const machine::TargetFacts& facts) {
  loop::Program result = program;
  const bool needed = std::any_of(program.buffers.begin(), program.buffers.end(),
                                  [&](const loop::Buffer& b) { return is_swizzled(b, facts); });
  if (needed) result.body = Swizzler(program, facts).block(program.body);
  for (loop::Buffer& b : result.buffers) b.swizzle = 1;
  return result;
}

}  // namespace mdh::passes
