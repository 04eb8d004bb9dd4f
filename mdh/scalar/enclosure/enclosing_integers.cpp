#include "mdh/scalar/enclosure/enclosing_integers.h"

#include <algorithm>
#include <cstdlib>

#include "mdh/scalar/apply.h"
#include "mdh/scalar/enclosure/enclosing_operations.h"

namespace mdh::scalar {
namespace {

uint64_t width(const Enclosure& e) { return e.greatest.bits - e.least.bits; }

/// An interval that moved without being torn: it is as wide as it has to be.
Enclosure moved(Scalar type, Value least, Value greatest, uint64_t expected_width) {
  const Enclosure result = {least, greatest};
  const bool whole = rank_of(type, least) <= rank_of(type, greatest);
  return whole && width(result) == expected_width ? result : everything(type);
}

Enclosure sum_or_difference(BinaryOp op, Scalar type, const Enclosure& a, const Enclosure& b) {
  const uint64_t together = width(a) + width(b);
  if (together < width(a)) return everything(type);
  const bool add = op == BinaryOp::add;
  return moved(type, apply(op, type, a.least, add ? b.least : b.greatest),
               apply(op, type, a.greatest, add ? b.greatest : b.least), together);
}

bool product_fits(Scalar type, Value x, Value y) {
  int64_t with_sign = 0;
  uint64_t without = 0;
  if (is_signed(type)) {
    return !__builtin_mul_overflow(x.as_integer(), y.as_integer(), &with_sign) &&
           from_integer(type, with_sign) == Value::integer(with_sign);
  }
  return !__builtin_mul_overflow(x.bits, y.bits, &without) &&
         from_integer(type, Value{without}.as_integer()) == Value{without};
}

Enclosure products(Scalar type, const Enclosure& a, const Enclosure& b) {
  for (const Value x : {a.least, a.greatest}) {
    for (const Value y : {b.least, b.greatest}) {
      if (!product_fits(type, x, y)) return everything(type);
    }
  }
  return corners(type, a, b,
                 [&](Value x, Value y) { return apply(BinaryOp::multiply, type, x, y); });
}

/// Whether all quotients are what they are in mathematics, rounded to zero.
bool divides_plainly(Scalar type, const Enclosure& a, const Enclosure& b) {
  const bool zero = contains(type, b, Value{0}) && !b.is_point();
  const bool wraps =
      is_signed(type) && contains(type, b, Value::integer(-1)) && a.least == everything(type).least;
  return !zero && !wraps;
}

/// By a divisor that is known: below it in magnitude, with the sign of the dividend.
Enclosure remainders(Scalar type, const Enclosure& a, const Enclosure& b) {
  if (!b.is_point()) return everything(type);
  const bool negative = is_signed(type) && b.least.as_integer() < 0;
  const uint64_t most = (negative ? 0 - b.least.bits : b.least.bits) - 1;
  if (!is_signed(type)) return {Value{0}, Value{most}};
  return {Value{a.least.as_integer() < 0 ? 0 - most : 0},
          Value{a.greatest.as_integer() > 0 ? most : 0}};
}

}  // namespace

Enclosure enclose_integers(BinaryOp op, Scalar type, const Enclosure& a, const Enclosure& b) {
  const auto applied = [&](Value x, Value y) { return apply(op, type, x, y); };
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::subtract:
      return sum_or_difference(op, type, a, b);
    case BinaryOp::multiply:
      return products(type, a, b);
    case BinaryOp::remainder:
      if (b == exactly(type, Value{0})) return corners(type, a, b, applied);
      return remainders(type, a, b);
    case BinaryOp::divide:
      return divides_plainly(type, a, b) ? corners(type, a, b, applied) : everything(type);
    case BinaryOp::minimum:
    case BinaryOp::maximum:
      return {applied(a.least, b.least), applied(a.greatest, b.greatest)};
    case BinaryOp::shift_right:
      if (b.is_point()) return {applied(a.least, b.least), applied(a.greatest, b.least)};
      return everything(type);
    default:
      return everything(type);
  }
}

Enclosure wrap_integers(Scalar from, Scalar to, const Enclosure& a) {
  return moved(to, converted(from, to, a.least), converted(from, to, a.greatest), width(a));
}

Enclosure absolute_integers(Scalar type, const Enclosure& a) {
  if (!is_signed(type) || a.least.as_integer() >= 0) return a;
  if (a.least == everything(type).least) return a.is_point() ? a : everything(type);
  const int64_t below = -a.least.as_integer(), above = a.greatest.as_integer();
  const int64_t least = above < 0 ? -above : 0;
  return {Value::integer(least), Value::integer(std::max(below, std::abs(above)))};
}

}  // namespace mdh::scalar
