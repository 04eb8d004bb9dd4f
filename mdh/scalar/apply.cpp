#include "mdh/scalar/apply.h"

#include <cmath>

namespace mdh::scalar {
namespace {

/// A number rather than NaN, and -0 rather than 0: in any order of combination the same one.
double least(double a, double b) {
  if (a == b) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}

Value apply_floating(BinaryOp op, Scalar type, double a, double b) {
  // f32 operations in double, then rounded once, give the same as f32 arithmetic (double has more
  // than 2p + 2 digits).
  const auto rounded = [&](double x) { return from_floating(type, x); };
  switch (op) {
    case BinaryOp::equal:
      return truth(a == b);
    case BinaryOp::not_equal:
      return truth(a != b);
    case BinaryOp::less:
      return truth(a < b);
    case BinaryOp::less_equal:
      return truth(a <= b);
    case BinaryOp::greater:
      return truth(a > b);
    case BinaryOp::greater_equal:
      return truth(a >= b);
    case BinaryOp::add:
      return rounded(a + b);
    case BinaryOp::subtract:
      return rounded(a - b);
    case BinaryOp::multiply:
      return rounded(a * b);
    case BinaryOp::divide:
      return rounded(a / b);
    case BinaryOp::minimum:
      return rounded(least(a, b));
    case BinaryOp::maximum:
      return rounded(-least(-a, -b));
    default:
      internal_check(false, "no such operation on floats");
      return {};
  }
}

Value divided(BinaryOp op, Scalar type, Value a, Value b) {
  if (b.bits == 0) return {0};
  const bool quotient = op == BinaryOp::divide;
  if (!is_signed(type)) return {quotient ? a.bits / b.bits : a.bits % b.bits};
  // The one quotient that overflows, MIN / -1, wraps around like every other operation.
  if (b.as_integer() == -1)
    return quotient ? from_integer(type, Value{0 - a.bits}.as_integer()) : Value{0};
  return Value::integer(quotient ? a.as_integer() / b.as_integer()
                                 : a.as_integer() % b.as_integer());
}

uint64_t distance(Scalar type, Value b) {
  return b.bits % static_cast<uint64_t>(8 * bytes_of(type));
}

bool less(Scalar type, Value a, Value b) {
  return is_signed(type) ? a.as_integer() < b.as_integer() : a.bits < b.bits;
}

Value apply_integer(BinaryOp op, Scalar type, Value a, Value b) {
  const auto wrapped = [&](uint64_t bits) { return from_integer(type, Value{bits}.as_integer()); };
  switch (op) {
    case BinaryOp::logical_or:
      return truth(a.bits != 0 || b.bits != 0);
    case BinaryOp::logical_and:
      return truth(a.bits != 0 && b.bits != 0);
    case BinaryOp::equal:
      return truth(a == b);
    case BinaryOp::not_equal:
      return truth(a != b);
    case BinaryOp::less:
      return truth(less(type, a, b));
    case BinaryOp::less_equal:
      return truth(!less(type, b, a));
    case BinaryOp::greater:
      return truth(less(type, b, a));
    case BinaryOp::greater_equal:
      return truth(!less(type, a, b));
    case BinaryOp::bit_or:
      return {a.bits | b.bits};
    case BinaryOp::bit_xor:
      return {a.bits ^ b.bits};
    case BinaryOp::bit_and:
      return {a.bits & b.bits};
    case BinaryOp::shift_left:
      return wrapped(a.bits << distance(type, b));
    case BinaryOp::shift_right:
      return is_signed(type) ? Value::integer(a.as_integer() >> distance(type, b))
                             : Value{a.bits >> distance(type, b)};
    case BinaryOp::add:
      return wrapped(a.bits + b.bits);
    case BinaryOp::subtract:
      return wrapped(a.bits - b.bits);
    case BinaryOp::multiply:
      return wrapped(a.bits * b.bits);
    case BinaryOp::divide:
    case BinaryOp::remainder:
      return divided(op, type, a, b);
    case BinaryOp::minimum:
      return less(type, b, a) ? b : a;
    case BinaryOp::maximum:
      return less(type, a, b) ? b : a;
  }
  return {};
}

}  // namespace

void check_divisor(BinaryOp op, Scalar type, Value b) {
  const bool divides = op == BinaryOp::divide || op == BinaryOp::remainder;
  if (!divides || is_floating(type) || b.bits != 0) return;
  user_error("E130", {}, "division of integers by zero",
             "guard the divisor: if d == 0 then ... else x / d");
}

Value apply(BinaryOp op, Scalar type, Value a, Value b) {
  return is_floating(type) ? apply_floating(op, type, a.as_floating(), b.as_floating())
                           : apply_integer(op, type, a, b);
}

Value apply(UnaryOp op, Scalar type, Value a) {
  switch (op) {
    case UnaryOp::negate:
      return is_floating(type) ? Value::floating(-a.as_floating())
                               : from_integer(type, Value{0 - a.bits}.as_integer());
    case UnaryOp::logical_not:
      return truth(a.bits == 0);
    case UnaryOp::bit_not:
      return from_integer(type, Value{~a.bits}.as_integer());
  }
  return {};
}

Value truth(bool b) { return Value::integer(b ? 1 : 0); }

Value converted(Scalar from, Scalar to, Value v) {
  if (is_floating(from)) return from_floating(to, v.as_floating());
  // A large u64 must not pass through a negative integer on its way to a float.
  // It is rounded once: on its way to f32 it must not pass through a double either.
  if (is_floating(to) && to != Scalar::f64 && !is_signed(from)) {
    return from_floating(to, static_cast<float>(v.bits));
  }
  if (to == Scalar::f64 && !is_signed(from)) return Value::floating(static_cast<double>(v.bits));
  return from_integer(to, v.as_integer());
}

}  // namespace mdh::scalar
