#include "mdh/scalar/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "mdh/support/random.h"

namespace mdh::scalar::value_test {
namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

/// Numbers around all the places where types end.
std::vector<int64_t> interesting_integers() {
  std::vector<int64_t> all = {0, least, least + 1, greatest, greatest - 1};
  for (const int bits : {7, 8, 15, 16, 31, 32, 62}) {
    for (const int64_t offset : {-1, 0, 1}) {
      all.push_back((int64_t{1} << bits) + offset);
      all.push_back(-(int64_t{1} << bits) + offset);
    }
  }
  Random random(11);
  for (int n = 0; n < 100; ++n) all.push_back(static_cast<int64_t>(random.next()));
  return all;
}

template <class T>
void expect_wrap_around(Scalar type) {
  for (const int64_t i : interesting_integers()) {
    const auto expected = static_cast<T>(i);
    const Value v = from_integer(type, i);
    EXPECT_EQ(static_cast<T>(v.bits), expected) << to_string(type) << ' ' << i;
    // Extended to 64 bits: equal numbers have equal bits.
    EXPECT_EQ(v.bits, static_cast<uint64_t>(expected)) << to_string(type) << ' ' << i;
  }
}

TEST(Value, integers_wrap_around_like_c_types) {
  expect_wrap_around<int8_t>(Scalar::i8);
  expect_wrap_around<int16_t>(Scalar::i16);
  expect_wrap_around<int32_t>(Scalar::i32);
  expect_wrap_around<int64_t>(Scalar::i64);
  expect_wrap_around<uint8_t>(Scalar::u8);
  expect_wrap_around<uint16_t>(Scalar::u16);
  expect_wrap_around<uint32_t>(Scalar::u32);
  expect_wrap_around<uint64_t>(Scalar::u64);
}

TEST(Value, anything_but_zero_is_true) {
  EXPECT_EQ(from_integer(Scalar::boolean, 0).bits, 0u);
  EXPECT_EQ(from_integer(Scalar::boolean, 256).bits, 1u);
  EXPECT_EQ(from_integer(Scalar::boolean, -1).bits, 1u);
  EXPECT_EQ(from_floating(Scalar::boolean, 0.25).bits, 1u);
  EXPECT_EQ(from_floating(Scalar::boolean, -0.0).bits, 0u);
}

TEST(Value, f32_is_rounded_to_24_binary_digits) {
  EXPECT_EQ(from_floating(Scalar::f32, 0.1).as_floating(), 0x1.99999ap-4);
  EXPECT_EQ(from_floating(Scalar::f64, 0.1).as_floating(), 0.1);
  EXPECT_EQ(from_integer(Scalar::f32, (1 << 24) + 1).as_floating(), 0x1p24) << "ties to even";
  EXPECT_EQ(from_integer(Scalar::f32, (1 << 24) + 3).as_floating(), 0x1p24 + 4);
  EXPECT_EQ(from_integer(Scalar::f64, (1 << 24) + 1).as_floating(), 16777217.0);
  EXPECT_EQ(from_floating(Scalar::f32, 1e39).as_floating(), HUGE_VAL);
}

TEST(Value, integer_is_rounded_to_f32_once) {
  // Just above the middle of two f32 neighbours; by way of a double it would be the middle, and
  // then the even neighbour below.
  const int64_t i = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_EQ(from_integer(Scalar::f32, i).as_floating(), 0x1p60 + 0x1p37);
}

TEST(Value, floats_become_integers_towards_zero) {
  EXPECT_EQ(from_floating(Scalar::i32, 2.9).as_integer(), 2);
  EXPECT_EQ(from_floating(Scalar::i32, -2.9).as_integer(), -2);
  EXPECT_EQ(from_floating(Scalar::u8, 255.9).as_integer(), 255);
  EXPECT_EQ(from_floating(Scalar::u8, -0.9).as_integer(), 0);
}

template <class T>
void expect_saturation(Scalar type) {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(from_floating(type, 1e30).bits, static_cast<uint64_t>(Limits::max()))
      << to_string(type);
  EXPECT_EQ(from_floating(type, -1e30).bits, static_cast<uint64_t>(Limits::min()))
      << to_string(type);
  EXPECT_EQ(from_floating(type, std::ldexp(1.0, Limits::digits)).bits,
            static_cast<uint64_t>(Limits::max()))
      << to_string(type) << ", the first number that does not fit";
  EXPECT_EQ(from_floating(type, static_cast<double>(Limits::min())).bits,
            static_cast<uint64_t>(Limits::min()))
      << to_string(type) << ", the least number that fits";
  EXPECT_EQ(from_floating(type, std::nan("")).bits, 0u) << to_string(type);
}

TEST(Value, floats_out_of_range_become_the_nearest_integer) {
  expect_saturation<int8_t>(Scalar::i8);
  expect_saturation<int16_t>(Scalar::i16);
  expect_saturation<int32_t>(Scalar::i32);
  expect_saturation<int64_t>(Scalar::i64);
  expect_saturation<uint8_t>(Scalar::u8);
  expect_saturation<uint16_t>(Scalar::u16);
  expect_saturation<uint32_t>(Scalar::u32);
  expect_saturation<uint64_t>(Scalar::u64);
}

/// Between two marks, so that a store of too many bytes is seen.
struct Memory {
  unsigned char before[8], cell[8], after[8];
};

template <class T>
void expect_round_trip(Scalar type, Value value, T expected) {
  Memory memory;
  std::memset(&memory, 0x5a, sizeof memory);
  store(type, memory.cell, value);
  T in_memory;
  std::memcpy(&in_memory, memory.cell, sizeof(T));
  EXPECT_EQ(std::memcmp(&in_memory, &expected, sizeof(T)), 0) << to_string(type);
  EXPECT_EQ(load(type, memory.cell), value) << to_string(type);
  for (const unsigned char mark : memory.before) EXPECT_EQ(mark, 0x5a);
  for (size_t n = sizeof(T); n < 8; ++n) EXPECT_EQ(memory.cell[n], 0x5a) << to_string(type);
  for (const unsigned char mark : memory.after) EXPECT_EQ(mark, 0x5a);
}

template <class T>
void expect_integer_round_trips(Scalar type) {
  for (const int64_t i : interesting_integers()) {
    expect_round_trip<T>(type, from_integer(type, i), static_cast<T>(i));
  }
}

TEST(Value, stored_integers_are_loaded_again) {
  expect_integer_round_trips<bool>(Scalar::boolean);
  expect_integer_round_trips<int8_t>(Scalar::i8);
  expect_integer_round_trips<int16_t>(Scalar::i16);
  expect_integer_round_trips<int32_t>(Scalar::i32);
  expect_integer_round_trips<int64_t>(Scalar::i64);
  expect_integer_round_trips<uint8_t>(Scalar::u8);
  expect_integer_round_trips<uint16_t>(Scalar::u16);
  expect_integer_round_trips<uint32_t>(Scalar::u32);
  expect_integer_round_trips<uint64_t>(Scalar::u64);
}

TEST(Value, stored_floats_are_loaded_again) {
  for (const double f : {0.0, -0.0, 0.1, -1.5, 1e30, 1e-40, HUGE_VAL, -HUGE_VAL}) {
    expect_round_trip<double>(Scalar::f64, from_floating(Scalar::f64, f), f);
    expect_round_trip<float>(Scalar::f32, from_floating(Scalar::f32, f), static_cast<float>(f));
  }
}

TEST(Value, any_value_is_seen_as_a_double) {
  EXPECT_EQ(to_floating(Scalar::i8, from_integer(Scalar::i8, -3)), -3.0);
  EXPECT_EQ(to_floating(Scalar::u64, from_integer(Scalar::u64, -1)), 0x1p64);
  EXPECT_EQ(to_floating(Scalar::boolean, from_integer(Scalar::boolean, 7)), 1.0);
  EXPECT_EQ(to_floating(Scalar::f32, from_floating(Scalar::f32, 0.5)), 0.5);
}

TEST(Value, is_written_as_people_write_numbers) {
  EXPECT_EQ(to_string(Scalar::boolean, from_integer(Scalar::boolean, 1)), "true");
  EXPECT_EQ(to_string(Scalar::boolean, from_integer(Scalar::boolean, 0)), "false");
  EXPECT_EQ(to_string(Scalar::i8, from_integer(Scalar::i8, 200)), "-56");
  EXPECT_EQ(to_string(Scalar::u8, from_integer(Scalar::u8, 200)), "200");
  EXPECT_EQ(to_string(Scalar::u64, from_integer(Scalar::u64, -1)), "18446744073709551615");
  EXPECT_EQ(to_string(Scalar::f32, from_floating(Scalar::f32, 0.1)), "0.1");
  EXPECT_EQ(to_string(Scalar::f64, from_floating(Scalar::f64, 0.1)), "0.1");
}

}  // namespace
}  // namespace mdh::scalar::value_test
