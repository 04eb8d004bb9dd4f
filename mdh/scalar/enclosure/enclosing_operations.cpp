#include "mdh/scalar/enclosure/enclosing_operations.h"

#include <cmath>
#include <limits>

#include "mdh/scalar/apply.h"
#include "mdh/scalar/enclosure/enclosing_integers.h"

namespace mdh::scalar {
namespace {

double low(const Enclosure& e) { return e.least.as_floating(); }
double high(const Enclosure& e) { return e.greatest.as_floating(); }

Enclosure zeros() { return {Value::floating(-0.0), Value::floating(0.0)}; }

bool either_is_nan(const Enclosure& a, const Enclosure& b) { return a.no_number || b.no_number; }

Scalar result_of(BinaryOp op, Scalar type) { return is_comparison(op) ? Scalar::boolean : type; }

bool is_extreme_of(BinaryOp op) { return op == BinaryOp::minimum || op == BinaryOp::maximum; }

// ---- comparisons

/// x < y for the numbers of a type; unlike ranks, -0 and +0 are the same.
bool is_below(Scalar type, Value x, Value y) { return apply(BinaryOp::less, type, x, y).bits != 0; }

Enclosure truths(bool may_be_false, bool may_be_true) {
  return {truth(!may_be_false), truth(may_be_true)};
}

Enclosure opposite(const Enclosure& e) { return {truth(!e.greatest.bits), truth(!e.least.bits)}; }

Enclosure is_less(Scalar type, const Enclosure& a, const Enclosure& b) {
  const bool surely = is_below(type, a.greatest, b.least) && !either_is_nan(a, b);
  return truths(!surely, is_below(type, a.least, b.greatest));
}

Enclosure is_at_most(Scalar type, const Enclosure& a, const Enclosure& b) {
  const bool surely = !is_below(type, b.least, a.greatest) && !either_is_nan(a, b);
  return truths(!surely, !is_below(type, b.greatest, a.least));
}

Enclosure is_equal(Scalar type, const Enclosure& a, const Enclosure& b) {
  const bool apart = is_below(type, a.greatest, b.least) || is_below(type, b.greatest, a.least);
  const bool surely = !is_below(type, a.least, b.greatest) &&
                      !is_below(type, b.least, a.greatest) && !either_is_nan(a, b);
  return truths(!surely, !apart);
}

Enclosure compared(BinaryOp op, Scalar type, const Enclosure& a, const Enclosure& b) {
  if (!a.has_numbers() || !b.has_numbers())
    return exactly(Scalar::boolean, truth(op == BinaryOp::not_equal));
  switch (op) {
    case BinaryOp::less:
      return is_less(type, a, b);
    case BinaryOp::less_equal:
      return is_at_most(type, a, b);
    case BinaryOp::greater:
      return is_less(type, b, a);
    case BinaryOp::greater_equal:
      return is_at_most(type, b, a);
    case BinaryOp::equal:
      return is_equal(type, a, b);
    default:
      return opposite(is_equal(type, a, b));
  }
}

// ---- arithmetic on floats

/// Infinities of opposite signs make NaN; next to one that is certain, an end is unknown.
Enclosure sum(Scalar type, const Enclosure& a, const Enclosure& b) {
  const double least = apply(BinaryOp::add, type, a.least, b.least).as_floating();
  const double greatest = apply(BinaryOp::add, type, a.greatest, b.greatest).as_floating();
  const bool meet = (std::isinf(low(a)) && std::isinf(high(b)) && low(a) < 0 && high(b) > 0) ||
                    (std::isinf(high(a)) && std::isinf(low(b)) && high(a) > 0 && low(b) < 0);
  return {Value::floating(std::isnan(least) ? -INFINITY : least),
          Value::floating(std::isnan(greatest) ? INFINITY : greatest), meet};
}

Enclosure product(Scalar type, const Enclosure& a, const Enclosure& b) {
  if ((has_zero(a) && has_infinity(b)) || (has_infinity(a) && has_zero(b))) return everything(type);
  return corners(type, a, b,
                 [&](Value x, Value y) { return apply(BinaryOp::multiply, type, x, y); });
}

Enclosure quotient(Scalar type, const Enclosure& a, const Enclosure& b) {
  const bool no_number = (has_zero(a) && has_zero(b)) || (has_infinity(a) && has_infinity(b));
  if (no_number || (has_zero(b) && b.least != b.greatest)) {
    Enclosure all = everything(type);
    all.no_number = no_number;
    return all;
  }
  return corners(type, a, b, [&](Value x, Value y) { return apply(BinaryOp::divide, type, x, y); });
}

/// Of two operands one of which is NaN the result is the other one.
Enclosure extreme_of_floats(BinaryOp op, Scalar type, const Enclosure& a, const Enclosure& b) {
  Enclosure result = only_nan();
  if (a.has_numbers() && b.has_numbers()) {
    const bool minimum = op == BinaryOp::minimum;
    const auto chosen = [&](Value x, Value y) {
      return (rank_of(type, x) < rank_of(type, y)) == minimum ? x : y;
    };
    result = {chosen(a.least, b.least), chosen(a.greatest, b.greatest)};
  }
  if (a.no_number) result = hull(type, result, b);
  if (b.no_number) result = hull(type, result, a);
  result.no_number = a.no_number && b.no_number;
  return result;
}

Enclosure negated(const Enclosure& e) {
  return {Value::floating(-high(e)), Value::floating(-low(e)), e.no_number};
}

Enclosure on_floats(BinaryOp op, Scalar type, const Enclosure& a, const Enclosure& b) {
  if (is_extreme_of(op)) return extreme_of_floats(op, type, a, b);
  if (!a.has_numbers() || !b.has_numbers()) return only_nan();
  Enclosure result;
  if (op == BinaryOp::add) {
    result = sum(type, a, b);
  } else if (op == BinaryOp::subtract) {
    result = sum(type, a, negated(b));
  } else if (op == BinaryOp::multiply) {
    result = product(type, a, b);
  } else {
    internal_check(op == BinaryOp::divide, "no such operation on enclosures of floats");
    result = quotient(type, a, b);
  }
  result.no_number = result.no_number || either_is_nan(a, b);
  return result;
}

// ---- casts

Enclosure to_boolean(Scalar from, const Enclosure& a) {
  if (!is_floating(from)) return truths(contains(from, a, Value{0}), a != exactly(from, Value{0}));
  const bool other = a.no_number || low(a) != 0 || high(a) != 0;
  return truths(a.has_numbers() && has_zero(a), other);
}

Enclosure from_floats(Scalar from, Scalar to, const Enclosure& a) {
  const Enclosure of_nan = is_floating(to) ? only_nan() : exactly(to, Value{0});
  if (!a.has_numbers()) return of_nan;
  const Enclosure numbers = {converted(from, to, a.least), converted(from, to, a.greatest)};
  return a.no_number ? hull(to, numbers, of_nan) : numbers;
}

double rounded_once(Scalar type, Value x, Value y, Value z) {
  const double a = x.as_floating(), b = y.as_floating(), c = z.as_floating();
  if (type == Scalar::f64) return std::fma(a, b, c);
  return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}

Value neighbour(Scalar type, Value v, double towards) {
  const double x = v.as_floating();
  return Value::floating(type == Scalar::f64
                             ? std::nextafter(x, towards)
                             : std::nextafter(static_cast<float>(x), static_cast<float>(towards)));
}

}  // namespace

bool has_zero(const Enclosure& e) { return low(e) <= 0 && high(e) >= 0; }
bool has_infinity(const Enclosure& e) { return std::isinf(low(e)) || std::isinf(high(e)); }

Enclosure enclose(BinaryOp op, Scalar type, const Enclosure& a, const Enclosure& b) {
  const bool floats = is_floating(type);
  if (a.is_point() && b.is_point()) {
    return exactly(result_of(op, type), apply(op, type, a.least, b.least));
  }
  if (is_comparison(op)) return compared(op, type, a, b);
  return floats ? on_floats(op, type, a, b) : enclose_integers(op, type, a, b);
}

Enclosure enclose(UnaryOp op, Scalar type, const Enclosure& a) {
  switch (op) {
    case UnaryOp::negate:
      if (is_floating(type)) return negated(a);
      return enclose(BinaryOp::subtract, type, exactly(type, Value{0}), a);
    case UnaryOp::bit_not:
    case UnaryOp::logical_not:  // both turn the order around
      return {apply(op, type, a.greatest), apply(op, type, a.least)};
  }
  internal_failure(false, "an operator without an enclosure");
}

Enclosure enclose_cast(Scalar from, Scalar to, const Enclosure& a) {
  if (a.is_point()) return exactly(to, converted(from, to, a.least));
  if (to == Scalar::boolean) return to_boolean(from, a);
  if (is_floating(from)) return from_floats(from, to, a);
  if (is_floating(to)) return {converted(from, to, a.least), converted(from, to, a.greatest)};
  return wrap_integers(from, to, a);
}

Enclosure enclose_fused(Scalar type, const Enclosure& x, const Enclosure& y, const Enclosure& z) {
  if (x.is_point() && y.is_point() && z.is_point()) {
    return exactly(type, Value::floating(rounded_once(type, x.least, y.least, z.least)));
  }
  const bool no_number = x.no_number || y.no_number || z.no_number;
  if (no_number || has_infinity(x) || has_infinity(y) || has_infinity(z)) return everything(type);
  const auto with = [&](Value summand) {
    return corners(type, x, y, [&](Value a, Value b) {
      return Value::floating(rounded_once(type, a, b, summand));
    });
  };
  return hull(type, with(z.least), with(z.greatest));
}

Enclosure before_rounding(Scalar type, const Enclosure& e) {
  if (!e.has_numbers()) return e;
  return {neighbour(type, e.least, -INFINITY), neighbour(type, e.greatest, INFINITY), e.no_number};
}

Enclosure flushed(Scalar type, const Enclosure& e) {
  constexpr double normal = std::numeric_limits<float>::min();
  const bool positive = low(e) < normal && high(e) > 0;
  const bool negative = low(e) < 0 && high(e) > -normal;
  return e.has_numbers() && (positive || negative) ? hull(type, e, zeros()) : e;
}

}  // namespace mdh::scalar
