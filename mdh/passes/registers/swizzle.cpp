#include "mdh/passes/registers/swizzle.h"

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/names.h"
#include "mdh/passes/common/shapes.h"
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
  explicit Swizzler(const loop::Program& p) : program_(p), names_(p) {}

  Block block(const Block& statements) {
    Block result;
    for (const Stmt& s : statements) {
      // The elements of a square no longer lie side by side.
      if (const auto* square = s.as<loop::Transpose>(); square && is_swizzled(*square)) {
        append(result, block({one_by_one(*square)}));
        continue;
      }
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
      result.push_back(node);
    }
    return result;
  }

 private:
  bool is_swizzled(const loop::Transpose& s) const {
    return find_buffer(program_, s.to.buffer).swizzle > 1 ||
           find_buffer(program_, s.from.buffer).swizzle > 1;
  }

  Stmt one_by_one(const loop::Transpose& s) {
    Block body = element_copy(s.to, s.from, names_.fresh(s.to.buffer.name + "_x"));
    for (const loop::Counter& c : {s.stored, s.loaded}) {
      body = {element_loop(c.var, scalar::index_literal(c.count), loop::How::sequential, body)};
    }
    return body.front();
  }

  void move(Element& e) const {
    const loop::Buffer& b = find_buffer(program_, e.buffer);
    if (b.swizzle == 1 || b.scope != loop::Scope::group || e.index.size() < 2) return;
    const Expr row = e.index[e.index.size() - 2];
    const Expr turn = scalar::binary(BinaryOp::remainder, row, scalar::index_literal(b.swizzle)) *
                      scalar::index_literal(scalar::elements_of_piece(b.type));
    e.index.back() = simplify(scalar::binary(BinaryOp::bit_xor, e.index.back(), turn));
  }

  const loop::Program& program_;
  Names names_;
};

}  // namespace

loop::Program swizzle(const loop::Program& program, const machine::TargetFacts& facts) {
  loop::Program result = program;
  if (facts.teams == machine::Teams::nested) result.body = Swizzler(program).block(program.body);
  for (loop::Buffer& b : result.buffers) b.swizzle = 1;
  return result;
}

}  // namespace mdh::passes
