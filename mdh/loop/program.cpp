#include "mdh/loop/program.h"

#include <algorithm>

namespace mdh::loop {
namespace {

template <class... T>
bool consists_of(const Block& block) {
  return std::all_of(block.begin(), block.end(), [](const Stmt& s) {
    if (!(s.as<T>() || ...)) return false;
    bool inside = true;
    for_each_child(s, [&](const Block& child) { inside = inside && consists_of<T...>(child); });
    return inside;
  });
}

void map_element(Element& element, const std::function<Expr(const Expr&)>& change) {
  for (Expr& index : element.index) index = change(index);
}

void map_elements(std::vector<Element>& elements, const std::function<Expr(const Expr&)>& change) {
  for (Element& element : elements) map_element(element, change);
}

/// Overloads that change the expressions of one kind of statement; kinds without expressions are
/// left alone.
struct MapExpressions {
  const std::function<Expr(const Expr&)>& change;

  void operator()(Accumulate& s) const {
    map_elements(s.reads, change);
    map_elements(s.target.elements, change);
  }
  void operator()(WriteUp& s) const {
    map_elements(s.from, change);
    map_elements(s.target.elements, change);
  }
  void operator()(TeamCombine& s) const {
    map_elements(s.from, change);
    map_elements(s.target.elements, change);
  }
  void operator()(For& s) const { s.trip = change(s.trip); }
  void operator()(If& s) const { s.condition = change(s.condition); }
  void operator()(Let& s) const { s.value = change(s.value); }
  void operator()(Load& s) const { map_element(s.from, change); }
  void operator()(Apply& s) const {
    for (Expr& index : s.point) index = change(index);
  }
  void operator()(Store& s) const { map_element(s.to, change); }
  void operator()(Digits&) const {}
  void operator()(Deal&) const {}
  void operator()(Barrier&) const {}
  void operator()(Combine&) const {}
};

int64_t aligned_bytes(const Buffer& b) {
  constexpr int64_t line = 64;
  return (scalar::volume(b.extents) * scalar::bytes_of(b.type) + line - 1) / line * line;
}

}  // namespace

Stmt::Stmt(StmtNode node) : node_(std::make_shared<const StmtNode>(std::move(node))) {}

bool operator==(const Stmt& a, const Stmt& b) { return a.node_ == b.node_ || *a.node_ == *b.node_; }

Symbol named(std::string name) { return {std::move(name), 0}; }

Expr index_variable(const Symbol& symbol) { return scalar::variable(symbol, scalar::Scalar::i64); }

Expr without_negation(const Expr& e) {
  const Expr inner = scalar::map_children(e, without_negation);
  const auto* minus = inner.as<scalar::Unary>();
  if (!minus || minus->op != scalar::UnaryOp::negate) return inner;
  return scalar::binary(scalar::BinaryOp::subtract, scalar::index_literal(0), minus->operand,
                        e.where());
}

void for_each_child(const Stmt& s, const std::function<void(const Block&)>& visit) {
  if (const auto* digits = s.as<Digits>()) visit(digits->body);
  if (const auto* loop = s.as<For>()) visit(loop->body);
  if (const auto* deal = s.as<Deal>()) visit(deal->body);
  if (const auto* choice = s.as<If>()) {
    visit(choice->then);
    visit(choice->otherwise);
  }
}

Stmt map_children(const Stmt& s, const std::function<Block(const Block&)>& change) {
  StmtNode node = s.node();
  if (auto* digits = std::get_if<Digits>(&node.is)) digits->body = change(digits->body);
  if (auto* loop = std::get_if<For>(&node.is)) loop->body = change(loop->body);
  if (auto* deal = std::get_if<Deal>(&node.is)) deal->body = change(deal->body);
  if (auto* choice = std::get_if<If>(&node.is)) {
    choice->then = change(choice->then);
    choice->otherwise = change(choice->otherwise);
  }
  return node == s.node() ? s : Stmt(std::move(node));
}

Stmt map_expressions(const Stmt& s, const std::function<Expr(const Expr&)>& change) {
  StmtNode node = s.node();
  std::visit(MapExpressions{change}, node.is);
  return node == s.node() ? s : Stmt(std::move(node));
}

bool is_structured(const Program& p) {
  return consists_of<Digits, Accumulate, WriteUp, TeamCombine>(p.body);
}

bool is_concrete(const Program& p) {
  return consists_of<For, Deal, Barrier, If, Let, Load, Apply, Combine, Store>(p.body);
}

const Buffer& find_buffer(const Program& p, const Symbol& symbol) {
  const auto found = std::find_if(p.buffers.begin(), p.buffers.end(),
                                  [&](const Buffer& b) { return b.symbol == symbol; });
  internal_check(found != p.buffers.end(), "there is no buffer '{}'", symbol.name);
  return *found;
}

int64_t parts_of(const std::vector<Digit>& digits) {
  int64_t parts = 1;
  for (const Digit& d : digits) parts *= d.parts;
  return parts;
}

int64_t workspace_offset(const Program& p, const Symbol& buffer) {
  int64_t offset = 0;
  for (const Buffer& b : p.buffers) {
    if (b.symbol == buffer) break;
    if (b.role == Role::workspace) offset += aligned_bytes(b);
  }
  return offset;
}

int64_t workspace_bytes(const Program& p) {
  int64_t bytes = 0;
  for (const Buffer& b : p.buffers) bytes += b.role == Role::workspace ? aligned_bytes(b) : 0;
  return bytes;
}

}  // namespace mdh::loop
