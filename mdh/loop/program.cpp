#include "mdh/loop/program.h"

#include <algorithm>

#include "mdh/scalar/simplify.h"

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

  void operator()(Copy& s) const {
    map_element(s.to, change);
    map_element(s.from, change);
    for (Expr& condition : s.within) condition = change(condition);
  }
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
  void operator()(ScanStep& s) const { map_elements(s.elements, change); }
  void operator()(ScanFix& s) const {
    map_elements(s.elements, change);
    map_elements(s.totals, change);
    map_elements(s.offset, change);
  }
  void operator()(For& s) const { s.trip = change(s.trip); }
  void operator()(If& s) const { s.condition = change(s.condition); }
  void operator()(Let& s) const { s.value = change(s.value); }
  void operator()(Load& s) const { map_element(s.from, change); }
  void operator()(Apply& s) const {
    for (Expr& index : s.point) index = change(index);
  }
  void operator()(Store& s) const { map_element(s.to, change); }
  void operator()(AsyncCopy& s) const {
    map_element(s.to, change);
    map_element(s.from, change);
  }
  void operator()(Prefetch& s) const { map_element(s.what, change); }
  void operator()(Transpose& s) const {
    map_element(s.to, change);
    map_element(s.from, change);
  }
  void operator()(Opaque&) const {}
  void operator()(Alloc&) const {}
  void operator()(Commit&) const {}
  void operator()(Wait&) const {}
  void operator()(Loop&) const {}
  void operator()(Deal&) const {}
  void operator()(Lanes&) const {}
  void operator()(Barrier&) const {}
  void operator()(Combine&) const {}
};

/// Overloads that tell what one kind of statement reads and writes.
struct CollectUses {
  Uses& uses;

  void read(const std::vector<Element>& elements) const {
    for (const Element& e : elements) uses.reads.push_back(e.buffer);
  }
  void write(const std::vector<Element>& elements) const {
    for (const Element& e : elements) uses.writes.push_back(e.buffer);
  }
  void update(const Target& target) const {
    write(target.elements);
    if (!target.first.empty()) read(target.elements);
  }
  void operator()(const Alloc& s) const { uses.writes.push_back(s.buffer); }
  void operator()(const Copy& s) const {
    read({s.from});
    write({s.to});
  }
  void operator()(const Accumulate& s) const {
    read(s.reads);
    update(s.target);
  }
  void operator()(const WriteUp& s) const {
    read(s.from);
    update(s.target);
  }
  void operator()(const TeamCombine& s) const {
    read(s.from);
    update(s.target);
  }
  void operator()(const ScanStep& s) const {
    read(s.elements);
    write(s.elements);
  }
  void operator()(const ScanFix& s) const {
    for (const auto* elements : {&s.elements, &s.totals, &s.offset}) {
      read(*elements);
      write(*elements);
    }
  }
  void operator()(const Load& s) const { read({s.from}); }
  void operator()(const Store& s) const { write({s.to}); }
  void operator()(const AsyncCopy& s) const {
    read({s.from});
    write({s.to});
  }
  void operator()(const Transpose& s) const {
    read({s.from});
    write({s.to});
  }
  void operator()(const Opaque& s) const { uses.reads.push_back(s.buffer); }
  void operator()(const Prefetch&) const {}
  void operator()(const Commit&) const {}
  void operator()(const Wait&) const {}
  void operator()(const Loop&) const {}
  void operator()(const For&) const {}
  void operator()(const Deal&) const {}
  void operator()(const Lanes&) const {}
  void operator()(const Barrier&) const {}
  void operator()(const If&) const {}
  void operator()(const Let&) const {}
  void operator()(const Apply&) const {}
  void operator()(const Combine&) const {}
};

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
  if (const auto* digits = s.as<Loop>()) visit(digits->body);
  if (const auto* loop = s.as<For>()) visit(loop->body);
  if (const auto* deal = s.as<Deal>()) visit(deal->body);
  if (const auto* lanes = s.as<Lanes>()) visit(lanes->body);
  if (const auto* choice = s.as<If>()) {
    visit(choice->then);
    visit(choice->otherwise);
  }
}

Stmt map_children(const Stmt& s, const std::function<Block(const Block&)>& change) {
  StmtNode node = s.node();
  if (auto* digits = std::get_if<Loop>(&node.is)) digits->body = change(digits->body);
  if (auto* loop = std::get_if<For>(&node.is)) loop->body = change(loop->body);
  if (auto* deal = std::get_if<Deal>(&node.is)) deal->body = change(deal->body);
  if (auto* lanes = std::get_if<Lanes>(&node.is)) lanes->body = change(lanes->body);
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

Uses uses_of(const Stmt& s) {
  Uses uses;
  std::visit(CollectUses{uses}, s.node().is);
  return uses;
}

std::vector<Symbol> defined_by(const Stmt& s) {
  std::vector<Symbol> symbols;
  if (const auto* loop = s.as<For>()) symbols = {loop->var};
  if (const auto* lanes = s.as<Lanes>()) symbols = {lanes->var};
  if (const auto* let = s.as<Let>()) symbols = {let->var};
  if (const auto* load = s.as<Load>()) symbols = {load->result};
  if (const auto* f = s.as<Apply>()) symbols = f->results;
  if (const auto* sum = s.as<Combine>()) symbols = sum->results;
  if (const auto* square = s.as<Transpose>()) symbols = {square->stored.var, square->loaded.var};
  const auto* copy = s.as<Copy>();
  const auto* deal = s.as<Deal>();
  if (copy || deal) {
    for (const Counter& c : copy ? copy->axes : deal->shares) symbols.push_back(c.var);
  }
  return symbols;
}

bool is_structured(const Program& p) {
  return consists_of<Alloc, Commit, Wait, Loop, Copy, Accumulate, WriteUp, TeamCombine, ScanStep,
                     ScanFix>(p.body);
}

bool is_concrete(const Program& p) {
  return consists_of<Alloc, Commit, Wait, For, Deal, Barrier, If, Lanes, Let, Load, Apply, Combine,
                     Store, AsyncCopy, Prefetch, Opaque, Transpose>(p.body);
}

const Buffer& find_buffer(const Program& p, const Symbol& symbol) {
  const auto found = std::find_if(p.buffers.begin(), p.buffers.end(),
                                  [&](const Buffer& b) { return b.symbol == symbol; });
  internal_check(found != p.buffers.end(), "there is no buffer '{}'", symbol.name);
  return *found;
}

bool is_digit(const Program& p, const Symbol& symbol) {
  return std::any_of(p.digits.begin(), p.digits.end(),
                     [&](const Digit& d) { return d.var == symbol; });
}

const Digit& find_digit(const Program& p, const Symbol& symbol) {
  const auto found = std::find_if(p.digits.begin(), p.digits.end(),
                                  [&](const Digit& d) { return d.var == symbol; });
  internal_check(found != p.digits.end(), "there is no digit '{}'", symbol.name);
  return *found;
}

std::vector<Digit> digits_of(const Program& p, const std::vector<Symbol>& symbols) {
  std::vector<Digit> digits;
  for (const Symbol& symbol : symbols) digits.push_back(find_digit(p, symbol));
  return digits;
}

int64_t volume_of(const std::vector<Counter>& counters) {
  int64_t product = 1;
  for (const Counter& c : counters) product *= c.count;
  return product;
}

int64_t elements_of(const Buffer& b) { return b.holds > 0 ? b.holds : scalar::volume(b.extents); }

int64_t bytes_of(const Buffer& b) { return elements_of(b) * b.depth * scalar::bytes_of(b.type); }

Expr address_of(const Program& p, const Element& e) {
  const Buffer& buffer = find_buffer(p, e.buffer);
  int64_t stride = 1;
  Expr address = scalar::index_literal(0);
  for (size_t d = e.index.size(); d-- > 0;) {
    const Expr term = scalar::operator*(e.index[d], scalar::index_literal(stride));
    address = stride == 1 ? term : scalar::operator+(term, address);
    stride *= buffer.extents[d];
  }
  return scalar::simplify(address);
}

int64_t instances_of(const Program& p, const Buffer& b) {
  int64_t product = 1;
  for (const Symbol& digit : b.per) product *= find_digit(p, digit).parts;
  return product;
}

}  // namespace mdh::loop
