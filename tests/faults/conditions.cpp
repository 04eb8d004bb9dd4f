#include "tests/faults/conditions.h"

#include "mdh/scalar/expr.h"

namespace mdh::test {

using loop::Expr;
using scalar::binary;
using scalar::BinaryOp;
using scalar::index_literal;

Expr plus(const Expr& e, int64_t n) {
  if (const auto number = scalar::constant(e)) return index_literal(*number + n);
  if (n < 0) return binary(BinaryOp::subtract, e, index_literal(-n));
  return binary(BinaryOp::add, e, index_literal(n));
}

Expr is_equal(const Expr& a, const Expr& b) { return binary(BinaryOp::equal, a, b); }
Expr is_different(const Expr& a, const Expr& b) { return binary(BinaryOp::not_equal, a, b); }

Expr value_in(const Around& counter, uint64_t detail) {
  const Expr last = plus(counter.high, -1);
  const auto low = scalar::constant(counter.low), high = scalar::constant(counter.high);
  if (detail % 4 == 0) return counter.low;
  if (detail % 4 == 1 || !low || !high || *high <= *low) return last;
  const auto count = static_cast<uint64_t>(*high - *low);
  const uint64_t chosen = detail % 4 == 2 ? count / 2 : (detail / 4) % count;
  return index_literal(*low + static_cast<int64_t>(chosen));
}

namespace {

/// Another way for every counter.
template <class Compare>
std::optional<Expr> joined(const std::vector<Around>& counters, uint64_t detail, BinaryOp op,
                           Compare compare) {
  std::optional<Expr> all;
  for (const Around& counter : counters) {
    const Expr one = compare(loop::index_variable(counter.var), value_in(counter, detail));
    all = all ? binary(op, *all, one) : one;
    detail = detail / 4 + detail % 4 * 7919;
  }
  return all;
}

}  // namespace

std::optional<Expr> at_one_point(const std::vector<Around>& counters, uint64_t detail) {
  return joined(counters, detail, BinaryOp::logical_and, is_equal);
}

std::optional<Expr> at_all_but_one(const std::vector<Around>& counters, uint64_t detail) {
  return joined(counters, detail, BinaryOp::logical_or, is_different);
}

std::vector<Around> counters_outside(const Site& site) {
  return {site.around.begin(), site.around.begin() + static_cast<std::ptrdiff_t>(site.outside)};
}

}  // namespace mdh::test
