#include "mdh/scalar/expr.h"

#include <utility>

namespace mdh::scalar {
namespace {

Type type_of_binary(BinaryOp op, const Expr& left, const Expr& right) {
  if (is_comparison(op) || is_logical(op)) return Scalar::boolean;
  return joined(left.type(), right.type());
}

Value negated(const Type& type, Value v) {
  const bool floating =
      type == Type(Undecided::decimal) || (type.is_scalar() && is_floating(scalar_of(type)));
  if (floating) return Value::floating(-v.as_floating());
  const Value wrapped{uint64_t{0} - v.bits};
  return type.is_scalar() ? from_integer(scalar_of(type), wrapped.as_integer()) : wrapped;
}

bool is_name(const Type& type) { return type == Type(Undecided::name); }

}  // namespace

Expr::Expr(ExprNode node) : node_(std::make_shared<const ExprNode>(std::move(node))) {}

const Type& Expr::type() const { return node_->type; }
const Location& Expr::where() const { return node_->where; }

bool operator==(const Expr& a, const Expr& b) { return a.node_ == b.node_ || *a.node_ == *b.node_; }

Expr literal(Type type, Value value, Location where) {
  return ExprNode{Literal{value}, std::move(type), std::move(where)};
}

Expr integer(int64_t value, Location where) {
  return literal(Undecided::integer, Value::integer(value), std::move(where));
}

Expr decimal(double value, Location where) {
  return literal(Undecided::decimal, Value::floating(value), std::move(where));
}

Expr index_literal(int64_t value) { return literal(Scalar::i64, Value::integer(value)); }

Expr variable(Symbol symbol, Type type, Location where) {
  return ExprNode{Variable{std::move(symbol)}, std::move(type), std::move(where)};
}

Expr unary(UnaryOp op, Expr operand, Location where) {
  // A negated literal is a literal, so that what is printed "-3" is read as the same expression.
  if (const auto* number = operand.as<Literal>(); number && op == UnaryOp::negate) {
    const Value value = negated(operand.type(), number->value);
    // A u64 is known by its size alone, which it must not lose.
    const bool is_u64 = operand.type() == Type(Scalar::u64) && number->value.as_integer() < 0;
    if (!is_u64 || value.as_integer() < 0) return literal(operand.type(), value, std::move(where));
  }
  Type type = op == UnaryOp::logical_not ? Type(Scalar::boolean) : operand.type();
  return ExprNode{Unary{op, std::move(operand)}, std::move(type), std::move(where)};
}

Expr binary(BinaryOp op, Expr left, Expr right, Location where) {
  Type type = type_of_binary(op, left, right);
  return ExprNode{Binary{op, std::move(left), std::move(right)}, std::move(type), std::move(where)};
}

Expr select(Expr condition, Expr then, Expr otherwise, Location where) {
  Type type = joined(then.type(), otherwise.type());
  return ExprNode{Select{std::move(condition), std::move(then), std::move(otherwise)},
                  std::move(type), std::move(where)};
}

Expr cast(Type type, Expr operand, Location where) {
  return ExprNode{Cast{std::move(operand)}, std::move(type), std::move(where)};
}

Expr field_of(Expr operand, std::string field, Location where) {
  Type type = Undecided::name;
  if (const Record* record = operand.type().record()) {
    if (const Field* found = record->find(field)) type = type_of(*found);
  }
  return ExprNode{FieldOf{std::move(operand), std::move(field)}, std::move(type), std::move(where)};
}

Expr element_of(Expr operand, Expr index, Location where) {
  const ArrayType* array = operand.type().array();
  const Type type = array ? Type(array->element) : Type(Undecided::name);
  return ExprNode{ElementOf{std::move(operand), std::move(index)}, type, std::move(where)};
}

Expr make(Type record, Make fields, Location where) {
  return ExprNode{std::move(fields), std::move(record), std::move(where)};
}

Expr loop(Loop parts, Location where) {
  Type type = parts.result.type();
  return ExprNode{std::move(parts), std::move(type), std::move(where)};
}

Expr call(Call parts, Type type, Location where) {
  return ExprNode{std::move(parts), std::move(type), std::move(where)};
}

Symbol local(std::string name) { return {std::move(name), 1 << 20}; }

bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }
bool is_logical(BinaryOp op) { return op <= BinaryOp::logical_and; }

Type joined(const Type& left, const Type& right) {
  if (is_name(left) || is_name(right)) return Undecided::name;
  if (!left.is_undecided()) return left;
  if (!right.is_undecided()) return right;
  return left == Type(Undecided::decimal) ? left : right;
}

Type joined_type(const std::vector<Expr>& operands) {
  Type type = operands.front().type();
  for (const Expr& operand : operands) type = joined(type, operand.type());
  return type;
}

void for_each_child(const Expr& e, const std::function<void(const Expr&)>& visit) {
  if (const auto* u = e.as<Unary>()) {
    visit(u->operand);
  } else if (const auto* b = e.as<Binary>()) {
    visit(b->left);
    visit(b->right);
  } else if (const auto* s = e.as<Select>()) {
    visit(s->condition);
    visit(s->then);
    visit(s->otherwise);
  } else if (const auto* c = e.as<Cast>()) {
    visit(c->operand);
  } else if (const auto* f = e.as<FieldOf>()) {
    visit(f->operand);
  } else if (const auto* at = e.as<ElementOf>()) {
    visit(at->operand);
    visit(at->index);
  } else if (const auto* m = e.as<Make>()) {
    for (const Binding& binding : m->fields) visit(binding.value);
  } else if (const auto* l = e.as<Loop>()) {
    for (const Binding& binding : l->initial) visit(binding.value);
    visit(l->condition);
    for (const Binding& binding : l->updates) visit(binding.value);
    visit(l->result);
  } else if (const auto* call = e.as<Call>()) {
    for (const Expr& argument : call->arguments) visit(argument);
  }
}

namespace {

/// Rebuilds one kind of node from changed children; types are computed anew on the way up.
struct Rebuild {
  const Expr& e;
  const std::function<Expr(const Expr&)>& change;

  Expr operator()(const Literal&) const { return e; }
  Expr operator()(const Variable&) const { return e; }
  Expr operator()(const Unary& u) const { return unary(u.op, change(u.operand), e.where()); }
  Expr operator()(const Binary& b) const {
    Expr left = change(b.left);
    return binary(b.op, std::move(left), change(b.right), e.where());
  }
  Expr operator()(const Select& s) const {
    Expr condition = change(s.condition), then = change(s.then);
    return select(std::move(condition), std::move(then), change(s.otherwise), e.where());
  }
  Expr operator()(const Cast& c) const { return cast(e.type(), change(c.operand), e.where()); }
  Expr operator()(const FieldOf& f) const {
    return field_of(change(f.operand), f.field, e.where());
  }
  Expr operator()(const ElementOf& at) const {
    Expr operand = change(at.operand);
    return element_of(std::move(operand), change(at.index), e.where());
  }
  Expr operator()(Make m) const {
    change_all(m.fields);
    return make(e.type(), std::move(m), e.where());
  }
  Expr operator()(Loop l) const {
    change_all(l.initial);
    l.condition = change(l.condition);
    change_all(l.updates);
    l.result = change(l.result);
    return loop(std::move(l), e.where());
  }
  Expr operator()(Call c) const {
    for (Expr& argument : c.arguments) argument = change(argument);
    // Mathematics has the type of its arguments, functions of the user the one they declare.
    const Type type = c.callee ? e.type() : joined_type(c.arguments);
    return call(std::move(c), type, e.where());
  }

 private:
  void change_all(std::vector<Binding>& bindings) const {
    for (Binding& binding : bindings) binding.value = change(binding.value);
  }
};

}  // namespace

Expr map_children(const Expr& e, const std::function<Expr(const Expr&)>& change) {
  std::vector<Expr> changed;
  bool same = true;
  for_each_child(e, [&](const Expr& child) {
    changed.push_back(change(child));
    same = same && changed.back().same_as(child);
  });
  if (same) return e;
  size_t next = 0;
  const std::function<Expr(const Expr&)> take = [&](const Expr&) { return changed[next++]; };
  return std::visit(Rebuild{e, take}, e.node().is);
}

Expr substitute(const Expr& e,
                const std::function<std::optional<Expr>(const Variable&, const Expr&)>& change) {
  if (const auto* v = e.as<Variable>()) {
    std::optional<Expr> replacement = change(*v, e);
    return replacement ? *replacement : e;
  }
  return map_children(e, [&](const Expr& child) { return substitute(child, change); });
}

bool mentions(const Expr& e, const Symbol& symbol) {
  if (const auto* v = e.as<Variable>()) return v->symbol == symbol;
  bool found = false;
  for_each_child(e, [&](const Expr& child) { found = found || mentions(child, symbol); });
  return found;
}

std::optional<int64_t> constant(const Expr& e) {
  const auto* number = e.as<Literal>();
  if (!number) return std::nullopt;
  const bool whole = e.type() == Type(Undecided::integer) ||
                     (e.type().is_scalar() && is_integer(scalar_of(e.type())));
  return whole ? std::optional(number->value.as_integer()) : std::nullopt;
}

}  // namespace mdh::scalar
