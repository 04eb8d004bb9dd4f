#include "mdh/scalar/elaborate.h"

#include <cmath>

#include "mdh/scalar/operator_table.h"
#include "mdh/scalar/print.h"

namespace mdh::scalar {
namespace {

Type decided(const Type& type, const Type& expected) {
  if (!type.is_undecided()) return type;
  const bool whole = type == Type(Undecided::integer);
  if (expected.is_scalar()) return expected;
  return whole ? Scalar::i64 : Scalar::f64;
}

[[noreturn]] void does_not_fit(const Expr& e, Scalar type) {
  const char* hint = !is_floating(type)                     ? "use an integer in range, or cast"
                     : e.type() == Type(Undecided::integer) ? "write it with a decimal point"
                                                            : "use f64, or a smaller number";
  user_error("E121", e.where(),
             fmt::format("the literal {} has no exact value of type {}", print(e), to_string(type)),
             hint);
}

/// The value that a whole or decimal literal has in a type, or nothing if it has none.
std::optional<Value> fitted(const Expr& e, Scalar type) {
  const Value value = e.as<Literal>()->value;
  if (e.type() == Type(Undecided::decimal) || e.type() == Type(Scalar::f64)) {
    const Value rounded = from_floating(type, value.as_floating());
    const bool fits = is_floating(type) && std::isfinite(rounded.as_floating());
    return fits ? std::optional(rounded) : std::nullopt;
  }
  // The bits of a negative number would make sense as a u64, but they are another number.
  const bool negative_u64 = type == Scalar::u64 && value.as_integer() < 0;
  if (type == Scalar::boolean || negative_u64) return std::nullopt;
  const Value whole = from_integer(type, value.as_integer());
  const bool exact = is_floating(type)
                         ? std::abs(whole.as_floating()) <= 0x1p53 &&
                               static_cast<int64_t>(whole.as_floating()) == value.as_integer()
                         : whole == value;
  return exact ? std::optional(whole) : std::nullopt;
}

Expr typed_literal(const Expr& e, Scalar type) {
  const std::optional<Value> value = fitted(e, type);
  if (!value) does_not_fit(e, type);
  return literal(type, *value, e.where());
}

/// f32(0.1) is a literal that says its type; a cast of a number the type does not have converts it.
/// Literals that were i64 or f64 before are no different, because they are printed the same.
Expr elaborate_cast(const Expr& operand, const Expr& e) {
  Expr inner = elaborate(operand, Type());
  const bool plain = inner.type() == Type(Scalar::i64) || inner.type() == Type(Scalar::f64);
  if (inner.as<Literal>() && plain) {
    const std::optional<Value> value = fitted(inner, scalar_of(e.type()));
    if (value) return literal(e.type(), *value, e.where());
  }
  return cast(e.type(), std::move(inner), e.where());
}

void demand(bool holds, const Expr& e, const std::string& what) {
  if (!holds) user_error("E122", e.where(), what);
}

Expr elaborate_binary(const Binary& b, const Expr& e, const Type& expected) {
  const std::string_view text = operator_row(b.op).text;
  const bool compares = is_comparison(b.op), combines_truth = is_logical(b.op);
  const Type shared =
      combines_truth ? Type(Scalar::boolean)
                     : decided(joined(b.left.type(), b.right.type()), compares ? Type() : expected);
  Expr left = elaborate(b.left, shared), right = elaborate(b.right, shared);
  const Scalar type = scalar_of(shared);
  const bool bits = b.op >= BinaryOp::bit_or && b.op <= BinaryOp::bit_and;
  const bool arithmetic = b.op >= BinaryOp::add;
  demand(!bits || !is_floating(type), e,
         fmt::format("'{}' needs integers or bool, got {}", text, to_string(type)));
  demand(!arithmetic || type != Scalar::boolean, e,
         fmt::format("'{}' needs numbers, got bool", text));
  demand(b.op != BinaryOp::remainder || is_integer(type), e,
         fmt::format("'%' needs integers, got {}", to_string(type)));
  return binary(b.op, std::move(left), std::move(right), e.where());
}

Expr elaborate_children(const Expr& e, const Type& expected) {
  if (e.as<Literal>()) {
    if (!e.type().is_undecided()) return e;
    return typed_literal(e, scalar_of(decided(e.type(), expected)));
  }
  if (const auto* u = e.as<Unary>()) {
    const bool is_not = u->op == UnaryOp::logical_not;
    const Type inner = is_not ? Type(Scalar::boolean) : decided(u->operand.type(), expected);
    demand(is_not || inner != Type(Scalar::boolean), e, "'-' needs a number, got bool");
    return unary(u->op, elaborate(u->operand, inner), e.where());
  }
  if (const auto* b = e.as<Binary>()) return elaborate_binary(*b, e, expected);
  if (const auto* s = e.as<Select>()) {
    const Type shared = decided(joined(s->then.type(), s->otherwise.type()), expected);
    return select(elaborate(s->condition, Scalar::boolean), elaborate(s->then, shared),
                  elaborate(s->otherwise, shared), e.where());
  }
  if (const auto* c = e.as<Cast>()) return elaborate_cast(c->operand, e);
  return e;
}

}  // namespace

Expr elaborate(const Expr& e, const Type& expected) {
  Expr result = elaborate_children(e, expected);
  if (expected.is_scalar() && result.type() != expected) {
    user_error("E120", e.where(),
               fmt::format("'{}' has type {}, but {} is needed here", print(e),
                           to_string(result.type()), to_string(expected)),
               fmt::format("convert it explicitly: {}({})", to_string(expected), print(e)));
  }
  return result;
}

}  // namespace mdh::scalar
