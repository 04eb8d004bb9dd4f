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
    return literal(operand.type(), negated(operand.type(), number->value), std::move(where));
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

bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }
bool is_logical(BinaryOp op) { return op <= BinaryOp::logical_and; }

Type joined(const Type& left, const Type& right) {
  if (is_name(left) || is_name(right)) return Undecided::name;
  if (!left.is_undecided()) return left;
  if (!right.is_undecided()) return right;
  return left == Type(Undecided::decimal) ? left : right;
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
  } else if (const auto* call = e.as<Call>()) {
    for (const Expr& argument : call->arguments) visit(argument);
  }
}

Expr map_children(const Expr& e, const std::function<Expr(const Expr&)>& change) {
  if (const auto* u = e.as<Unary>()) {
    Expr operand = change(u->operand);
    return operand.same_as(u->operand) ? e : unary(u->op, std::move(operand), e.where());
  }
  if (const auto* b = e.as<Binary>()) {
    Expr left = change(b->left), right = change(b->right);
    const bool same = left.same_as(b->left) && right.same_as(b->right);
    return same ? e : binary(b->op, std::move(left), std::move(right), e.where());
  }
  if (const auto* s = e.as<Select>()) {
    Expr condition = change(s->condition), then = change(s->then), otherwise = change(s->otherwise);
    const bool same =
        condition.same_as(s->condition) && then.same_as(s->then) && otherwise.same_as(s->otherwise);
    if (same) return e;
    return select(std::move(condition), std::move(then), std::move(otherwise), e.where());
  }
  if (const auto* c = e.as<Cast>()) {
    Expr operand = change(c->operand);
    return operand.same_as(c->operand) ? e : cast(e.type(), std::move(operand), e.where());
  }
  if (const auto* call = e.as<Call>()) {
    bool same = true;
    Call changed{call->name, {}};
    for (const Expr& argument : call->arguments) {
      changed.arguments.push_back(change(argument));
      same = same && changed.arguments.back().same_as(argument);
    }
    return same ? e : Expr(ExprNode{std::move(changed), e.type(), e.where()});
  }
  return e;
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
