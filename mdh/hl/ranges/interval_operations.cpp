#include "mdh/hl/ranges/interval_operations.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "mdh/hl/wide.h"
#include "mdh/scalar/apply.h"

namespace mdh::hl {
namespace {

using scalar::BinaryOp;
using scalar::Scalar;
using scalar::UnaryOp;
using scalar::Value;

bool is_point(const Interval& a) { return a.least == a.greatest; }

/// Exact bounds of a result that the type may not hold. Narrow integers wrap around on every back
/// end, so that this is a result like any other; 64 bits must not be exceeded.
Interval fitted(Scalar type, Wide least, Wide greatest) {
  const Interval all = whole(type);
  if (least >= all.least && greatest <= all.greatest) {
    return {static_cast<int64_t>(least), static_cast<int64_t>(greatest)};
  }
  if (type == Scalar::i64) return whole(type, Trouble::overflow);
  if (least != greatest) return whole(type);
  const int64_t wrapped = scalar::from_integer(type, static_cast<int64_t>(least)).as_integer();
  return {wrapped, wrapped};
}

Interval product(Scalar type, const Interval& a, const Interval& b) {
  const auto [least, greatest] =
      std::minmax({Wide{a.least} * b.least, Wide{a.least} * b.greatest, Wide{a.greatest} * b.least,
                   Wide{a.greatest} * b.greatest});
  return fitted(type, least, greatest);
}

/// The quotient of 64-bit integers; only the one that overflows is divided in more bits, which is
/// much slower.
Wide divided(int64_t a, int64_t b) { return b == -1 ? -Wide{a} : Wide{a / b}; }

/// Division truncates towards zero: monotone in both operands as long as the divisor keeps its
/// sign.
Interval quotient(Scalar type, const Interval& a, const Interval& b) {
  if (b.least <= 0 && b.greatest >= 0) return whole(type, Trouble::zero_divisor);
  const auto [least, greatest] =
      std::minmax({divided(a.least, b.least), divided(a.least, b.greatest),
                   divided(a.greatest, b.least), divided(a.greatest, b.greatest)});
  return fitted(type, least, greatest);
}

/// A remainder has the sign of the dividend, and is nearer to 0 than both operands reach.
Interval remainder(Scalar type, const Interval& a, const Interval& b) {
  if (b.least <= 0 && b.greatest >= 0) return whole(type, Trouble::zero_divisor);
  // The quotient of this remainder does not exist, and a processor computes both at once.
  if (type == Scalar::i64 && a.least == std::numeric_limits<int64_t>::min() && b.greatest == -1) {
    return whole(type, Trouble::overflow);
  }
  if (is_point(b)) {
    const Wide n = b.least, q = divided(a.least, b.least);
    // Without a jump in between the remainder just follows.
    const bool one_side = a.least >= 0 || a.greatest <= 0;
    if (one_side && q == divided(a.greatest, b.least)) {
      return fitted(type, a.least - q * n, a.greatest - q * n);
    }
  }
  const Wide most = std::max(b.greatest < 0 ? -Wide{b.least} : Wide{b.greatest}, Wide{1}) - 1;
  const Wide least = a.least < 0 ? std::max(-most, Wide{a.least}) : 0;
  const Wide greatest = a.greatest > 0 ? std::min(most, Wide{a.greatest}) : 0;
  return fitted(type, least, greatest);
}

Interval compared(BinaryOp op, const Interval& a, const Interval& b) {
  const auto answer = [&](bool always, bool never) {
    return Interval{always ? 1 : 0, never ? 0 : 1};
  };
  switch (op) {
    case BinaryOp::equal:
    case BinaryOp::not_equal: {
      const bool same = is_point(a) && is_point(b) && a.least == b.least;
      const bool apart = a.greatest < b.least || b.greatest < a.least;
      return op == BinaryOp::equal ? answer(same, apart) : answer(apart, same);
    }
    case BinaryOp::less:
      return answer(a.greatest < b.least, a.least >= b.greatest);
    case BinaryOp::less_equal:
      return answer(a.greatest <= b.least, a.least > b.greatest);
    case BinaryOp::greater:
      return answer(a.least > b.greatest, a.greatest <= b.least);
    default:
      return answer(a.least >= b.greatest, a.greatest < b.least);
  }
}

/// Bits of numbers that are not negative: `and` has at most those of the smaller one, `or` and
/// `xor` stay below the next power of two.
Interval bits(BinaryOp op, Scalar type, const Interval& a, const Interval& b) {
  if (is_point(a) && is_point(b)) {
    const int64_t value =
        scalar::apply(op, type, Value::integer(a.least), Value::integer(b.least)).as_integer();
    return {value, value};
  }
  if (a.least < 0 || b.least < 0) return whole(type);
  if (op == BinaryOp::bit_and) return {0, std::min(a.greatest, b.greatest)};
  const auto reach = static_cast<uint64_t>(a.greatest | b.greatest);
  const int64_t all = static_cast<int64_t>((uint64_t{1} << std::bit_width(reach)) - 1);
  const int64_t least = op == BinaryOp::bit_or ? std::max(a.least, b.least) : 0;
  return {least, all};
}

/// Distances beyond the width mean different things to different processors.
Interval shifted(BinaryOp op, Scalar type, const Interval& a, const Interval& b) {
  const int64_t width = 8 * scalar::bytes_of(type);
  if (b.least < 0 || b.greatest >= width) return whole(type, Trouble::overflow);
  if (op == BinaryOp::shift_right) {  // rounds down; monotone in both operands
    const auto [least, greatest] = std::minmax({a.least >> b.least, a.least >> b.greatest,
                                                a.greatest >> b.least, a.greatest >> b.greatest});
    return {least, greatest};
  }
  const auto times = [](int64_t x, int64_t by) { return Wide{x} * (Wide{1} << by); };
  const auto [least, greatest] =
      std::minmax({times(a.least, b.least), times(a.least, b.greatest), times(a.greatest, b.least),
                   times(a.greatest, b.greatest)});
  return fitted(type, least, greatest);
}

}  // namespace

Interval whole(Scalar type, Trouble trouble) {
  if (type == Scalar::boolean) return {0, 1, trouble};
  const int bits = 8 * scalar::bytes_of(type);
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  const auto half = static_cast<int64_t>(all >> 1);
  if (!is_signed(type)) return {0, static_cast<int64_t>(all), trouble};
  return {-half - 1, half, trouble};
}

Trouble first_trouble(const Interval& a, const Interval& b) {
  return a.trouble != Trouble::none ? a.trouble : b.trouble;
}

Interval interval_of(UnaryOp op, Scalar type, const Interval& a) {
  if (a.trouble != Trouble::none) return whole(type, a.trouble);
  switch (op) {
    case UnaryOp::negate:
      return fitted(type, -Wide{a.greatest}, -Wide{a.least});
    case UnaryOp::logical_not:
      return {1 - a.greatest, 1 - a.least};
    case UnaryOp::bit_not:
      return fitted(type, -Wide{a.greatest} - 1, -Wide{a.least} - 1);
  }
  return whole(type);
}

Interval interval_of(BinaryOp op, Scalar type, const Interval& a, const Interval& b) {
  const bool compares = scalar::is_comparison(op);
  if (const Trouble trouble = first_trouble(a, b); trouble != Trouble::none) {
    return whole(compares ? Scalar::boolean : type, trouble);
  }
  if (compares) return compared(op, a, b);
  switch (op) {
    case BinaryOp::add:
      return fitted(type, Wide{a.least} + b.least, Wide{a.greatest} + b.greatest);
    case BinaryOp::subtract:
      return fitted(type, Wide{a.least} - b.greatest, Wide{a.greatest} - b.least);
    case BinaryOp::multiply:
      return product(type, a, b);
    case BinaryOp::divide:
      return quotient(type, a, b);
    case BinaryOp::remainder:
      return remainder(type, a, b);
    case BinaryOp::minimum:
      return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
    case BinaryOp::maximum:
      return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
      return shifted(op, type, a, b);
    default:
      return bits(op, type, a, b);
  }
}

Interval converted_interval(Scalar from, Scalar to, const Interval& a) {
  if (a.trouble != Trouble::none) return whole(to, a.trouble);
  if (is_point(a)) {
    const int64_t value = scalar::converted(from, to, Value::integer(a.least)).as_integer();
    return {value, value};
  }
  const Interval all = whole(to);
  const bool fits = to != Scalar::boolean && a.least >= all.least && a.greatest <= all.greatest;
  return fits ? a : whole(to);
}

}  // namespace mdh::hl
