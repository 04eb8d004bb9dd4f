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

template <class S, class... Kinds>
concept IsAnyOf = (std::is_same_v<std::remove_const_t<S>, Kinds> || ...);

/// Calls `visit` for the blocks of one kind of statement. A kind that is not mentioned here does
/// not compile.
template <class Visit>
struct ForEachBlock {
  Visit visit;

  template <IsAnyOf<Loop, For, Deal, Last, Lanes> S>
  void operator()(S& s) const {
    visit(s.body);
  }
  template <IsAnyOf<If> S>
  void operator()(S& s) const {
    visit(s.then);
    visit(s.otherwise);
  }
  template <IsAnyOf<Alloc, Commit, Wait, Copy, Accumulate, WriteUp, TeamCombine, ScanStep, ScanFix,
                    Exchange, Follow, Meet, Barrier, Let, Load, Apply, Combine, Store, WideLoad,
                    WideStore, AsyncCopy, Prefetch, Opaque, Transpose, AtomicCombine, AtomicTake>
                S>
  void operator()(S&) const {}
};

template <class Visit>
ForEachBlock(Visit) -> ForEachBlock<Visit>;  // clang before 17 does not find it by itself

/// Overloads that tell what one kind of statement defines.
struct CollectDefinitions {
  using Symbols = std::vector<Symbol>;

  static Symbols of(const std::vector<Counter>& counters) {
    Symbols symbols;
    for (const Counter& c : counters) symbols.push_back(c.var);
    return symbols;
  }
  Symbols operator()(const For& s) const { return {s.var}; }
  Symbols operator()(const Lanes& s) const { return {s.var}; }
  Symbols operator()(const Let& s) const { return {s.var}; }
  Symbols operator()(const Load& s) const { return {s.result}; }
  Symbols operator()(const WideLoad& s) const { return s.results; }
  Symbols operator()(const Apply& s) const { return s.results; }
  Symbols operator()(const Combine& s) const { return s.results; }
  Symbols operator()(const Transpose& s) const { return {s.stored.var, s.loaded.var}; }
  Symbols operator()(const Copy& s) const { return of(s.axes); }
  Symbols operator()(const Deal& s) const { return of(s.shares); }
  Symbols operator()(const Exchange& s) const { return of(s.shares); }
  Symbols operator()(const Follow& s) const { return s.tells.empty() ? Symbols{} : Symbols{s.nth}; }
  Symbols operator()(const AtomicTake& s) const { return s.results; }
  template <
      IsAnyOf<Alloc, Commit, Wait, Loop, Accumulate, WriteUp, TeamCombine, ScanStep, ScanFix, Last,
              Meet, Barrier, If, Store, WideStore, AsyncCopy, Prefetch, Opaque, AtomicCombine>
          S>
  Symbols operator()(const S&) const {
    return {};
  }
};

/// Overloads that change the elements and the other expressions of one kind of statement; kinds
/// without any are left alone.
struct MapParts {
  const std::function<Expr(const Expr&)>& change;
  const std::function<Element(const Element&)>& change_element;

  void map_element(Element& element) const { element = change_element(element); }
  void map_elements(std::vector<Element>& elements) const {
    for (Element& element : elements) map_element(element);
  }

  void operator()(Copy& s) const {
    map_element(s.to);
    map_element(s.from);
    for (Expr& condition : s.within) condition = change(condition);
  }
  void operator()(Accumulate& s) const {
    map_elements(s.reads);
    map_elements(s.target.elements);
  }
  void operator()(WriteUp& s) const {
    map_elements(s.from);
    map_elements(s.target.elements);
  }
  void operator()(TeamCombine& s) const {
    map_elements(s.from);
    map_elements(s.target.elements);
  }
  void operator()(ScanStep& s) const { map_elements(s.elements); }
  void operator()(ScanFix& s) const {
    map_elements(s.elements);
    map_elements(s.totals);
    map_elements(s.offset);
  }
  void operator()(For& s) const { s.trip = change(s.trip); }
  void operator()(Follow& s) const {
    s.first = change(s.first);
    map_elements(s.tells);
    map_elements(s.hears);
    if (s.has_any) s.has_any = change(*s.has_any);
  }
  void operator()(If& s) const { s.condition = change(s.condition); }
  void operator()(Let& s) const { s.value = change(s.value); }
  void operator()(Load& s) const { map_element(s.from); }
  void operator()(WideLoad& s) const { map_element(s.from); }
  void operator()(WideStore& s) const { map_element(s.to); }
  void operator()(Apply& s) const {
    for (Expr& index : s.point) index = change(index);
  }
  void operator()(Store& s) const { map_element(s.to); }
  void operator()(AsyncCopy& s) const {
    map_element(s.to);
    map_element(s.from);
  }
  void operator()(Prefetch& s) const { map_element(s.what); }
  void operator()(Exchange& s) const {
    map_element(s.to);
    map_element(s.from);
  }
  void operator()(Transpose& s) const {
    map_element(s.to);
    map_element(s.from);
  }
  void operator()(AtomicCombine& s) const { map_elements(s.to); }
  void operator()(AtomicTake& s) const { map_elements(s.from); }
  void operator()(Opaque&) const {}
  void operator()(Alloc&) const {}
  void operator()(Commit&) const {}
  void operator()(Wait&) const {}
  void operator()(Loop&) const {}
  void operator()(Deal&) const {}
  void operator()(Last&) const {}
  void operator()(Meet&) const {}
  void operator()(Lanes&) const {}
  void operator()(Barrier&) const {}
  void operator()(Combine&) const {}
};

/// Overloads that tell what one kind of statement reads and writes.
struct CollectUses {
  Uses& uses;
  UsedElements* elements = nullptr;

  void read(const std::vector<Element>& some) const {
    for (const Element& e : some) uses.reads.push_back(e.buffer);
    if (elements) elements->reads.insert(elements->reads.end(), some.begin(), some.end());
  }
  void write(const std::vector<Element>& some) const {
    for (const Element& e : some) uses.writes.push_back(e.buffer);
    if (elements) elements->writes.insert(elements->writes.end(), some.begin(), some.end());
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
    for (const auto* some : {&s.elements, &s.totals, &s.offset}) {
      read(*some);
      write(*some);
    }
  }
  void operator()(const Load& s) const { read({s.from}); }
  void operator()(const WideLoad& s) const { read({s.from}); }
  void operator()(const WideStore& s) const { write({s.to}); }
  void operator()(const Store& s) const { write({s.to}); }
  void operator()(const AsyncCopy& s) const {
    read({s.from});
    write({s.to});
  }
  void operator()(const Transpose& s) const {
    read({s.from});
    write({s.to});
  }
  void operator()(const Exchange& s) const {
    read({s.from});
    write({s.to});
  }
  void operator()(const AtomicCombine& s) const {
    read(s.to);
    write(s.to);
  }
  void operator()(const AtomicTake& s) const {
    read(s.from);
    write(s.from);
  }
  void operator()(const Opaque& s) const { uses.reads.push_back(s.buffer); }
  void operator()(const Prefetch&) const {}
  void operator()(const Commit&) const {}
  void operator()(const Wait&) const {}
  void operator()(const Loop&) const {}
  void operator()(const For&) const {}
  void operator()(const Deal&) const {}
  void operator()(const Last&) const {}
  void operator()(const Meet&) const {}
  void operator()(const Follow& s) const {
    read(s.tells);
    write(s.hears);
  }
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
  std::visit(ForEachBlock{[&](const Block& block) { visit(block); }}, s.node().is);
}

Stmt map_children(const Stmt& s, const std::function<Block(const Block&)>& change) {
  StmtNode node = s.node();
  std::visit(ForEachBlock{[&](Block& block) { block = change(block); }}, node.is);
  return node == s.node() ? s : Stmt(std::move(node));
}

namespace {

Stmt map_parts(const Stmt& s, const std::function<Expr(const Expr&)>& change,
               const std::function<Element(const Element&)>& change_element) {
  StmtNode node = s.node();
  std::visit(MapParts{change, change_element}, node.is);
  return node == s.node() ? s : Stmt(std::move(node));
}

}  // namespace

Stmt map_expressions(const Stmt& s, const std::function<Expr(const Expr&)>& change) {
  return map_parts(s, change, [&](Element e) {
    for (Expr& index : e.index) index = change(index);
    return e;
  });
}

Stmt map_elements(const Stmt& s, const std::function<Element(const Element&)>& change) {
  return map_parts(
      s, [](const Expr& e) { return e; }, change);
}

Uses uses_of(const Stmt& s) {
  Uses uses;
  std::visit(CollectUses{uses}, s.node().is);
  return uses;
}

UsedElements elements_used_by(const Stmt& s) {
  Uses uses;
  UsedElements elements;
  std::visit(CollectUses{uses, &elements}, s.node().is);
  return elements;
}

std::vector<Access> accesses_of(const Stmt& s) {
  const auto* sum = s.as<AtomicCombine>();
  const auto* take = s.as<AtomicTake>();
  if (sum || take) {
    std::vector<Access> all;
    for (const Element& e : sum ? sum->to : take->from) all.push_back({&e});
    return all;
  }
  if (const auto* load = s.as<Load>()) return {{&load->from}};
  if (const auto* store = s.as<Store>()) return {{&store->to}};
  if (const auto* load = s.as<WideLoad>()) return {{&load->from, std::ssize(load->results)}};
  if (const auto* store = s.as<WideStore>()) return {{&store->to, std::ssize(store->values)}};
  if (const auto* hand = s.as<Exchange>()) return {{&hand->to}, {&hand->from}};
  if (const auto* copy = s.as<AsyncCopy>()) {
    return {{&copy->to, copy->width}, {&copy->from, copy->width}};
  }
  return {};
}

Stmt map_values(const Stmt& s, const std::function<Symbol(const Symbol&)>& change) {
  StmtNode node = s.node();
  const auto map_all = [&](std::vector<Symbol>& values) {
    for (Symbol& value : values) value = change(value);
  };
  if (auto* load = std::get_if<Load>(&node.is)) load->result = change(load->result);
  if (auto* store = std::get_if<Store>(&node.is)) store->value = change(store->value);
  if (auto* load = std::get_if<WideLoad>(&node.is)) map_all(load->results);
  if (auto* store = std::get_if<WideStore>(&node.is)) map_all(store->values);
  if (auto* sum = std::get_if<AtomicCombine>(&node.is)) map_all(sum->values);
  if (auto* take = std::get_if<AtomicTake>(&node.is)) map_all(take->results);
  if (auto* f = std::get_if<Apply>(&node.is)) {
    map_all(f->results);
    map_all(f->inputs);
  }
  if (auto* sum = std::get_if<Combine>(&node.is)) {
    map_all(sum->results);
    map_all(sum->left);
    map_all(sum->right);
  }
  return node;
}

std::vector<Symbol> defined_by(const Stmt& s) {
  return std::visit(CollectDefinitions{}, s.node().is);
}

bool is_structured(const Program& p) {
  return consists_of<Alloc, Commit, Wait, Loop, Copy, Accumulate, WriteUp, TeamCombine, ScanStep,
                     ScanFix>(p.body);
}

bool is_concrete(const Program& p) {
  return consists_of<Alloc, Commit, Wait, For, Deal, Exchange, Last, Follow, Meet, Barrier, If,
                     Lanes, Let, Load, Apply, Combine, Store, WideLoad, WideStore, AsyncCopy,
                     Prefetch, Opaque, Transpose, AtomicCombine, AtomicTake>(p.body);
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

int64_t distance_along(const std::vector<Counter>& counters, const Symbol& one) {
  int64_t distance = 1;
  for (auto c = counters.rbegin(); c->var != one; ++c) distance *= c->count;
  return distance;
}

bool has_counter(const std::vector<Counter>& counters, const Symbol& one) {
  return std::any_of(counters.begin(), counters.end(),
                     [&](const Counter& c) { return c.var == one; });
}

bool is_just(const Expr& e, const Symbol& symbol) {
  const auto* v = e.as<scalar::Variable>();
  return v && v->symbol == symbol;
}

std::optional<Symbol> meets_over(const Deal& deal) {
  for (const Stmt& s : deal.body) {
    if (const auto* meet = s.as<Meet>()) return meet->over;
  }
  return std::nullopt;
}

int64_t volume_of(const std::vector<Counter>& counters) {
  int64_t product = 1;
  for (const Counter& c : counters) product *= c.count;
  return product;
}

Element neighbour(const Element& e, int64_t distance) {
  Element other = e;
  if (distance != 0) other.index.back() = e.index.back() + scalar::index_literal(distance);
  return other;
}

std::vector<Element> neighbours(const Element& e, int64_t count) {
  std::vector<Element> all;
  for (int64_t n = 0; n < count; ++n) all.push_back(neighbour(e, n));
  return all;
}

int64_t owned_shares(const Block& block) {
  int64_t most = 1;
  for (const Stmt& s : block) {
    const auto* deal = s.as<Deal>();
    if (deal && !deal->collective) most = std::max(most, volume_of(deal->shares));
    for_each_child(s, [&](const Block& inner) { most = std::max(most, owned_shares(inner)); });
  }
  return most;
}

int64_t elements_here(const Buffer& b) {
  return scalar::volume(b.extents) / (b.across ? b.extents.front() : 1);
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
