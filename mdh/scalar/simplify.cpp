#include "mdh/scalar/simplify.h"

#include <algorithm>

namespace mdh::scalar {
namespace {

/// Nothing where the result does not fit or does not exist: such an expression is left as it is.
std::optional<int64_t> folded(BinaryOp op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case BinaryOp::add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::subtract:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::multiply:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::divide:
      return b == 0 || b == -1 ? std::nullopt : std::optional(a / b);
    case BinaryOp::remainder:
      return b == 0 || b == -1 ? std::nullopt : std::optional(a % b);
    case BinaryOp::minimum:
      return std::min(a, b);
    case BinaryOp::maximum:
      return std::max(a, b);
    case BinaryOp::bit_xor:
      return a ^ b;
    default:
      return std::nullopt;
  }
}

/// x op b with a constant b.
Expr with_constant_right(BinaryOp op, const Expr& a, int64_t b, const Expr& whole) {
  const bool additive = op == BinaryOp::add || op == BinaryOp::subtract;
  if ((additive || op == BinaryOp::bit_xor) && b == 0) return a;
  if ((op == BinaryOp::multiply || op == BinaryOp::divide) && b == 1) return a;
  if (op == BinaryOp::multiply && b == 0) return index_literal(0);
  // (x + c1) + c2 = x + (c1 + c2), so that offsets stay one number.
  if (const auto* inner = a.as<Binary>(); inner && additive) {
    const auto c = constant(inner->right);
    if (c && (inner->op == BinaryOp::add || inner->op == BinaryOp::subtract)) {
      // x + c1 - c2 = x + (c1 - c2), x - c1 + c2 = x - (c1 - c2)
      const BinaryOp relative = inner->op == op ? BinaryOp::add : BinaryOp::subtract;
      const auto offset = folded(relative, *c, b);
      if (!offset || *offset < 0) return whole;
      // Again, because x may be a sum with a constant, too: (x + 2) - 3 + 1.
      return simplify(binary(inner->op, inner->left, index_literal(*offset)));
    }
  }
  return whole;
}

Expr simplified_binary(const Binary& b, const Expr& e) {
  const auto left = constant(b.left), right = constant(b.right);
  if (left && right) {
    if (const auto value = folded(b.op, *left, *right)) return index_literal(*value);
  }
  if (right) return with_constant_right(b.op, b.left, *right, e);
  if (left) {
    if (b.op == BinaryOp::add)
      return *left == 0 ? b.right : simplify(binary(b.op, b.right, b.left));
    if (b.op == BinaryOp::multiply && *left == 0) return index_literal(0);
    if (b.op == BinaryOp::multiply && *left == 1) return b.right;
    if (b.op == BinaryOp::bit_xor && *left == 0) return b.right;
  }
  const bool extreme = b.op == BinaryOp::minimum || b.op == BinaryOp::maximum;
  if (extreme && b.left == b.right) return b.left;
  if (b.op == BinaryOp::subtract && b.left == b.right) return index_literal(0);
  return e;
}

/// New nodes stand where the expression stood that they replace; errors need the place.
Expr placed(const Expr& e, const Location& where) {
  if (e.where().known()) return e;
  ExprNode node = e.node();
  node.where = where;
  return node;
}

Expr built(BinaryOp op, const Expr& a, const Expr& b) { return simplify(binary(op, a, b)); }

}  // namespace

Expr simplify(const Expr& e) {
  const Expr inner = map_children(e, simplify);
  const auto* b = inner.as<Binary>();
  const bool is_index = b && inner.type() == Type(Scalar::i64);
  return is_index ? placed(simplified_binary(*b, inner), e.where()) : inner;
}

Expr with_value(const Expr& e, const Symbol& var, int64_t value) {
  return with_value(e, var, index_literal(value));
}

Expr with_value(const Expr& e, const Symbol& var, const Expr& value) {
  return simplify(substitute(e, [&](const Variable& v, const Expr&) {
    return v.symbol == var ? std::optional(value) : std::nullopt;
  }));
}

Expr operator+(const Expr& a, const Expr& b) { return built(BinaryOp::add, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return built(BinaryOp::subtract, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return built(BinaryOp::multiply, a, b); }
Expr least(const Expr& a, const Expr& b) { return built(BinaryOp::minimum, a, b); }
Expr quotient(const Expr& a, const Expr& b) { return built(BinaryOp::divide, a, b); }

Expr ceiling_quotient(const Expr& a, int64_t b) {
  return quotient(a + index_literal(b - 1), index_literal(b));
}

}  // namespace mdh::scalar
