#include "mdh/passes/common/blocks.h"

#include "mdh/passes/common/geometry.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::Element;
using loop::Expr;
using loop::StmtNode;

void append(Block& block, const Block& more) {
  block.insert(block.end(), more.begin(), more.end());
}

Block loads(const std::vector<Symbol>& values, const std::vector<Element>& from) {
  Block block;
  for (size_t c = 0; c < values.size(); ++c) {
    block.push_back(StmtNode{loop::Load{values[c], from[c]}});
  }
  return block;
}

Block stores(const std::vector<Element>& to, const std::vector<Symbol>& values) {
  Block block;
  for (size_t c = 0; c < values.size(); ++c) {
    block.push_back(StmtNode{loop::Store{to[c], values[c]}});
  }
  return block;
}

std::vector<Element> replaced(std::vector<Element> elements,
                              const std::function<std::optional<Expr>(const Symbol&)>& value) {
  for (Element& element : elements) {
    for (Expr& index : element.index) {
      index = simplify(substitute(
          index, [&](const scalar::Variable& v, const Expr&) { return value(v.symbol); }));
    }
  }
  return elements;
}

std::vector<Element> in_digits(const loop::Program& p, std::vector<Element> elements,
                               const std::vector<loop::Digit>& digits) {
  return replaced(std::move(elements), [&](const Symbol& symbol) -> std::optional<Expr> {
    for (size_t d = 0; d < p.dimensions.size(); ++d) {
      if (p.dimensions[d].symbol == symbol) return base(digits, static_cast<int>(d));
    }
    return std::nullopt;
  });
}

}  // namespace mdh::passes
