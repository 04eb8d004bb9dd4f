// One operation at a time: what + and < mean on every type, against the C++ types.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mdh/scalar/apply.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::scalar::apply_test {
namespace {

/// Small numbers, the ends of the type, and anything.
template <class T>
std::vector<T> samples() {
  std::vector<T> all = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                        static_cast<T>(std::numeric_limits<T>::min() + 1)};
  for (int i = -3; i <= 3; ++i) all.push_back(static_cast<T>(i));
  Random random(3);
  for (int n = 0; n < 8; ++n) all.push_back(static_cast<T>(random.next()));
  return all;
}

/// A distance that is not below the number of bits begins again at 0.
template <class T>
int distance(__int128 b) {
  constexpr int bits = 8 * sizeof(T);
  return static_cast<int>((b % bits + bits) % bits);
}

/// What C++ computes on numbers of more than 64 bits, cut down to T.
template <class T>
T expected(BinaryOp op, __int128 a, __int128 b) {
  switch (op) {
    case BinaryOp::add:
      return static_cast<T>(a + b);
    case BinaryOp::subtract:
      return static_cast<T>(a - b);
    case BinaryOp::multiply:
      return static_cast<T>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
    case BinaryOp::divide:
      return static_cast<T>(a / b);
    case BinaryOp::remainder:
      return static_cast<T>(a % b);
    case BinaryOp::minimum:
      return static_cast<T>(a < b ? a : b);
    case BinaryOp::maximum:
      return static_cast<T>(a > b ? a : b);
    case BinaryOp::shift_left:
      return static_cast<T>(static_cast<unsigned __int128>(a) << distance<T>(b));
    case BinaryOp::shift_right:
      return static_cast<T>(a >> distance<T>(b));
    case BinaryOp::bit_or:
      return static_cast<T>(a | b);
    case BinaryOp::bit_xor:
      return static_cast<T>(a ^ b);
    case BinaryOp::bit_and:
      return static_cast<T>(a & b);
    default:
      ADD_FAILURE() << "not an arithmetic operation";
      return 0;
  }
}

bool expected_truth(BinaryOp op, __int128 a, __int128 b) {
  switch (op) {
    case BinaryOp::equal:
      return a == b;
    case BinaryOp::not_equal:
      return a != b;
    case BinaryOp::less:
      return a < b;
    case BinaryOp::less_equal:
      return a <= b;
    case BinaryOp::greater:
      return a > b;
    default:
      return a >= b;
  }
}

template <class T>
void expect_integer_semantics(Scalar type) {
  for (const T a : samples<T>()) {
    for (const T b : samples<T>()) {
      const Value left{static_cast<uint64_t>(a)}, right{static_cast<uint64_t>(b)};
      for (auto op = BinaryOp::equal; op <= BinaryOp::maximum;
           op = static_cast<BinaryOp>(static_cast<int>(op) + 1)) {
        const bool divides = op == BinaryOp::divide || op == BinaryOp::remainder;
        if (divides && b == 0) continue;
        const uint64_t bits = is_comparison(op) ? static_cast<uint64_t>(expected_truth(op, a, b))
                                                : static_cast<uint64_t>(expected<T>(op, a, b));
        ASSERT_EQ(apply(op, type, left, right).bits, bits)
            << to_string(type) << ' ' << +a << ' ' << static_cast<int>(op) << ' ' << +b;
      }
    }
  }
}

TEST(Apply, integers_of_every_width_wrap_around) {
  expect_integer_semantics<int8_t>(Scalar::i8);
  expect_integer_semantics<int16_t>(Scalar::i16);
  expect_integer_semantics<int32_t>(Scalar::i32);
  expect_integer_semantics<int64_t>(Scalar::i64);
  expect_integer_semantics<uint8_t>(Scalar::u8);
  expect_integer_semantics<uint16_t>(Scalar::u16);
  expect_integer_semantics<uint32_t>(Scalar::u32);
  expect_integer_semantics<uint64_t>(Scalar::u64);
}

TEST(Apply, least_integer_divided_by_minus_one_wraps_around) {
  for (const Scalar type : {Scalar::i8, Scalar::i16, Scalar::i32, Scalar::i64}) {
    const Value least = from_integer(type, int64_t{1} << (8 * bytes_of(type) - 1));
    const Value minus_one = Value::integer(-1);
    ASSERT_LT(least.as_integer(), 0) << to_string(type);
    EXPECT_EQ(apply(BinaryOp::divide, type, least, minus_one), least) << to_string(type);
    EXPECT_EQ(apply(BinaryOp::remainder, type, least, minus_one).bits, 0u) << to_string(type);
  }
}

TEST(Apply, what_is_divided_by_the_integer_zero_is_zero) {
  for (const Scalar type : {Scalar::i8, Scalar::i16, Scalar::i32, Scalar::i64, Scalar::u8,
                            Scalar::u16, Scalar::u32, Scalar::u64}) {
    for (const BinaryOp op : {BinaryOp::divide, BinaryOp::remainder}) {
      for (const int64_t a : {0, 1, 7, -1, -7}) {
        EXPECT_EQ(apply(op, type, from_integer(type, a), {0}).bits, 0u) << to_string(type) << a;
      }
      const Diagnostic d = diagnostic_of([&] { check_divisor(op, type, {0}); });
      EXPECT_EQ(d.kind, DiagnosticKind::user);
      EXPECT_EQ(d.code, "E130");
      EXPECT_EQ(d.message, "division of integers by zero");
      check_divisor(op, type, {1});
    }
    check_divisor(BinaryOp::multiply, type, {0});
  }
  check_divisor(BinaryOp::divide, Scalar::f64, Value::floating(0));
}

TEST(Apply, bools_combine_by_logic_and_bits) {
  for (const uint64_t a : {0u, 1u}) {
    for (const uint64_t b : {0u, 1u}) {
      const auto result = [&](BinaryOp op) { return apply(op, Scalar::boolean, {a}, {b}).bits; };
      EXPECT_EQ(result(BinaryOp::logical_and), a * b);
      EXPECT_EQ(result(BinaryOp::logical_or), a + b - a * b);
      EXPECT_EQ(result(BinaryOp::bit_and), a * b);
      EXPECT_EQ(result(BinaryOp::bit_or), a + b - a * b);
      EXPECT_EQ(result(BinaryOp::bit_xor), (a + b) % 2);
      EXPECT_EQ(result(BinaryOp::equal), a == b ? 1u : 0u);
      EXPECT_EQ(result(BinaryOp::less), a < b ? 1u : 0u);
    }
  }
}

float random_float(Random& random) {
  const auto digits = static_cast<float>(random.between(-(1 << 24), 1 << 24));
  return std::ldexp(digits, static_cast<int>(random.between(-40, 10)));
}

TEST(Apply, f32_is_rounded_after_every_operation) {
  Random random(4);
  const auto result = [](BinaryOp op, float a, float b) {
    return apply(op, Scalar::f32, Value::floating(a), Value::floating(b)).as_floating();
  };
  for (int n = 0; n < 1000; ++n) {
    // volatile: each operation is rounded on its own, whatever the compiler likes to fuse.
    const volatile float a = random_float(random), b = random_float(random);
    const volatile float sum = a + b, difference = a - b, product = a * b, quotient = a / b;
    EXPECT_EQ(result(BinaryOp::add, a, b), sum);
    EXPECT_EQ(result(BinaryOp::subtract, a, b), difference);
    EXPECT_EQ(result(BinaryOp::multiply, a, b), product);
    if (b != 0) {
      EXPECT_EQ(result(BinaryOp::divide, a, b), quotient);
    }
  }
  EXPECT_EQ(result(BinaryOp::multiply, 1e30f, 1e30f), HUGE_VAL);
}

TEST(Apply, f64_is_the_double_of_c) {
  const auto result = [](BinaryOp op, double a, double b) {
    return apply(op, Scalar::f64, Value::floating(a), Value::floating(b)).as_floating();
  };
  EXPECT_EQ(result(BinaryOp::add, 0.1, 0.2), 0x1.3333333333334p-2);
  EXPECT_EQ(result(BinaryOp::divide, 1.0, 0.0), HUGE_VAL) << "no error on floats";
  EXPECT_TRUE(std::isnan(result(BinaryOp::divide, 0.0, 0.0)));
}

TEST(Apply, floats_are_compared_by_their_values) {
  const std::vector<double> samples = {-2.5, -1.0, -0.25, 0.0, 0.25, 1.0, 1024.0};
  for (const Scalar type : {Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64}) {
    for (const double a : samples) {
      for (const double b : samples) {
        const auto result = [&](BinaryOp op) {
          return apply(op, type, Value::floating(a), Value::floating(b));
        };
        EXPECT_EQ(result(BinaryOp::equal), truth(a == b)) << a << ' ' << b;
        EXPECT_EQ(result(BinaryOp::not_equal), truth(a != b)) << a << ' ' << b;
        EXPECT_EQ(result(BinaryOp::less), truth(a < b)) << a << ' ' << b;
        EXPECT_EQ(result(BinaryOp::less_equal), truth(a <= b)) << a << ' ' << b;
        EXPECT_EQ(result(BinaryOp::greater), truth(a > b)) << a << ' ' << b;
        EXPECT_EQ(result(BinaryOp::greater_equal), truth(a >= b)) << a << ' ' << b;
        EXPECT_EQ(result(BinaryOp::minimum).as_floating(), a < b ? a : b);
        EXPECT_EQ(result(BinaryOp::maximum).as_floating(), a < b ? b : a);
      }
    }
  }
}

/// Equal bit for bit, but for the payload and the sign of NaN.
bool is_same(Value a, Value b) {
  const double x = a.as_floating(), y = b.as_floating();
  return a == b || (std::isnan(x) && std::isnan(y));
}

const std::vector<Scalar> floating_types = {Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64};

TEST(Apply, min_and_max_prefer_a_number_to_nan) {
  const double nan = std::nan("");
  for (const Scalar type : floating_types) {
    for (const BinaryOp op : {BinaryOp::minimum, BinaryOp::maximum}) {
      for (const double number : {2.0, -0.0, 0.0, -HUGE_VAL, HUGE_VAL}) {
        const Value x = Value::floating(number);
        EXPECT_EQ(apply(op, type, Value::floating(nan), x), x);
        EXPECT_EQ(apply(op, type, x, Value::floating(-nan)), x);
      }
      EXPECT_TRUE(
          std::isnan(apply(op, type, Value::floating(nan), Value::floating(nan)).as_floating()));
    }
  }
}

TEST(Apply, minus_zero_is_less_than_zero_for_min_and_max) {
  for (const Scalar type : floating_types) {
    const Value plus = Value::floating(0.0), minus = Value::floating(-0.0);
    EXPECT_EQ(apply(BinaryOp::minimum, type, plus, minus), minus);
    EXPECT_EQ(apply(BinaryOp::minimum, type, minus, plus), minus);
    EXPECT_EQ(apply(BinaryOp::minimum, type, plus, plus), plus);
    EXPECT_EQ(apply(BinaryOp::minimum, type, minus, minus), minus);
    EXPECT_EQ(apply(BinaryOp::maximum, type, plus, minus), plus);
    EXPECT_EQ(apply(BinaryOp::maximum, type, minus, plus), plus);
    EXPECT_EQ(apply(BinaryOp::maximum, type, plus, plus), plus);
    EXPECT_EQ(apply(BinaryOp::maximum, type, minus, minus), minus);
  }
}

TEST(Apply, min_and_max_are_associative_and_commutative_bit_for_bit) {
  std::vector<Value> values;
  for (const double x : {0.0, -0.0, 1.0, -1.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p-149}) {
    values.push_back(Value::floating(x));
  }
  for (const Scalar type : {Scalar::f32, Scalar::f64}) {
    for (const BinaryOp op : {BinaryOp::minimum, BinaryOp::maximum}) {
      const auto of = [&](Value a, Value b) { return apply(op, type, a, b); };
      for (const Value a : values) {
        for (const Value b : values) {
          EXPECT_TRUE(is_same(of(a, b), of(b, a)));
          for (const Value c : values) EXPECT_TRUE(is_same(of(of(a, b), c), of(a, of(b, c))));
        }
      }
    }
  }
}

TEST(Apply, comparisons_with_nan_are_false_but_for_unequal) {
  const Value nan = Value::floating(std::nan("")), two = Value::floating(2);
  for (auto op = BinaryOp::equal; op <= BinaryOp::greater_equal;
       op = static_cast<BinaryOp>(static_cast<int>(op) + 1)) {
    const uint64_t truth = op == BinaryOp::not_equal ? 1 : 0;
    EXPECT_EQ(apply(op, Scalar::f64, nan, two).bits, truth);
    EXPECT_EQ(apply(op, Scalar::f64, two, nan).bits, truth);
    EXPECT_EQ(apply(op, Scalar::f64, nan, nan).bits, truth);
  }
  EXPECT_EQ(apply(BinaryOp::equal, Scalar::f64, Value::floating(0.0), Value::floating(-0.0)).bits,
            1u);
}

}  // namespace
}  // namespace mdh::scalar::apply_test
