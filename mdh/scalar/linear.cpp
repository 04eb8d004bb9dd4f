#include "mdh/scalar/linear.h"

#include <algorithm>

#include "mdh/scalar/print.h"
#include "mdh/scalar/simplify.h"

namespace mdh::scalar {
namespace {

void add(Linear& sum, const Linear& more, int64_t times) {
  sum.constant += more.constant * times;
  for (const auto& [term, coefficient] : more.terms) {
    int64_t& mine = sum.terms[term];
    mine += coefficient * times;
    if (mine == 0) sum.terms.erase(term);
  }
}

Linear opaque(const Expr& e) { return {0, {{print(e), 1}}}; }

Linear product(const Expr& e, const Binary& b) {
  const Linear left = linear(b.left), right = linear(b.right);
  Linear result;
  if (left.terms.empty()) {
    add(result, right, left.constant);
  } else if (right.terms.empty()) {
    add(result, left, right.constant);
  } else {
    return opaque(e);
  }
  return result;
}

/// A sum that is taken apart; nothing is left of a number.
struct Apart {
  std::optional<Expr> rest;
  int64_t constant = 0;
};

Apart apart(const Expr& e);

Apart apart_sum(const Expr& e, const Binary& b) {
  const Apart left = apart(b.left), right = apart(b.right);
  const bool is_difference = b.op == BinaryOp::subtract;
  if (is_difference && !left.rest && right.rest) return {e, 0};  // 8 - i stays as it is
  const int64_t number = left.constant + (is_difference ? -right.constant : right.constant);
  if (!left.rest || !right.rest) return {left.rest ? left.rest : right.rest, number};
  return {binary(b.op, *left.rest, *right.rest), number};
}

Apart apart_product(const Expr& e, const Binary& b) {
  const Apart left = apart(b.left), right = apart(b.right);
  if (left.rest && right.rest) return {e, 0};
  const Apart& sum = left.rest ? left : right;
  const int64_t times = left.rest ? right.constant : left.constant;
  if (!sum.rest) return {std::nullopt, sum.constant * times};
  return {binary(BinaryOp::multiply, *sum.rest, index_literal(times)), sum.constant * times};
}

Apart apart(const Expr& e) {
  if (const auto number = constant(e)) return {std::nullopt, *number};
  const auto* b = e.as<Binary>();
  if (b && (b->op == BinaryOp::add || b->op == BinaryOp::subtract)) return apart_sum(e, *b);
  if (b && b->op == BinaryOp::multiply) return apart_product(e, *b);
  return {e, 0};
}

}  // namespace

Expr constant_last(const Expr& e) {
  const Apart parts = apart(e);
  if (!parts.rest) return index_literal(parts.constant);
  if (parts.constant == 0) return *parts.rest;
  const bool is_less = parts.constant < 0;
  return binary(is_less ? BinaryOp::subtract : BinaryOp::add, *parts.rest,
                index_literal(is_less ? -parts.constant : parts.constant));
}

Linear linear(const Expr& e) {
  if (const auto number = constant(e)) return {*number, {}};
  const auto* b = e.as<Binary>();
  if (!b) return opaque(e);
  if (b->op == BinaryOp::multiply) return product(e, *b);
  if (b->op != BinaryOp::add && b->op != BinaryOp::subtract) {
    const Expr folded = simplify(e);
    return constant(folded) ? linear(folded) : opaque(e);
  }
  Linear sum = linear(b->left);
  add(sum, linear(b->right), b->op == BinaryOp::add ? 1 : -1);
  return sum;
}

std::optional<int64_t> coefficient(const Expr& e, const Symbol& var) {
  if (!mentions(e, var)) return 0;
  const Expr next = substitute(e, [&](const Variable& v, const Expr& at) -> std::optional<Expr> {
    if (v.symbol != var) return std::nullopt;
    return binary(BinaryOp::add, at, index_literal(1));
  });
  // A sum that mentions the variable in no other way than by itself.
  const Linear here = linear(e), there = linear(next);
  for (const auto& [term, times] : here.terms) {
    if (term != var.name && !there.terms.contains(term)) return std::nullopt;
  }
  return distance(e, next);
}

std::optional<int64_t> distance(const Expr& from, const Expr& to) {
  Linear difference = linear(to);
  add(difference, linear(from), -1);
  if (!difference.terms.empty()) return std::nullopt;
  return difference.constant;
}

bool is_mixed_radix(std::vector<std::pair<int64_t, int64_t>> strides_and_counts) {
  std::sort(strides_and_counts.begin(), strides_and_counts.end());
  int64_t reach = 0;
  for (const auto& [stride, count] : strides_and_counts) {
    if (stride <= reach) return false;
    int64_t span = 0;
    const bool too_far = __builtin_mul_overflow(stride, count - 1, &span) ||
                         __builtin_add_overflow(reach, span, &reach);
    if (too_far) reach = INT64_MAX;
  }
  return true;
}

}  // namespace mdh::scalar
