#include "mdh/scalar/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace mdh::scalar::half_test {
namespace {

/// All finite values of a format, ascending from zero.
std::vector<float> positive_values(float (*decode)(uint16_t), uint16_t infinity) {
  std::vector<float> values;
  for (uint16_t bits = 0; bits < infinity; ++bits) values.push_back(decode(bits));
  return values;
}

TEST(Half, known_values_of_f16) {
  EXPECT_EQ(from_f16(0x3c00), 1.0f);
  EXPECT_EQ(from_f16(0xc000), -2.0f);
  EXPECT_EQ(from_f16(0x7bff), 65504.0f);
  EXPECT_EQ(from_f16(0x0001), 0x1p-24f);
  EXPECT_EQ(from_f16(0x0400), 0x1p-14f);
  EXPECT_EQ(to_f16(1.0f), 0x3c00);
  EXPECT_EQ(to_f16(65519.996f), 0x7bff);
  EXPECT_EQ(to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(to_f16(-0.0f), 0x8000);
  EXPECT_EQ(to_f16(0x1p-25f), 0x0000);
  EXPECT_EQ(to_f16(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
  EXPECT_TRUE(std::isnan(from_f16(to_f16(NAN))));
  EXPECT_EQ(from_f16(to_f16(-INFINITY)), -INFINITY);
}

TEST(Half, known_values_of_bf16) {
  EXPECT_EQ(from_bf16(0x3f80), 1.0f);
  EXPECT_EQ(to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(to_bf16(1.00390625f), 0x3f80);  // halfway to the next value: ties to even
  EXPECT_EQ(to_bf16(1.01171875f), 0x3f82);
  EXPECT_EQ(to_bf16(3.4e38f), 0x7f80);
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(NAN))));
}

TEST(Half, encoding_a_value_of_the_format_is_exact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    if (!std::isnan(from_f16(half))) {
      EXPECT_EQ(to_f16(from_f16(half)), half);
    }
    if (!std::isnan(from_bf16(half))) {
      EXPECT_EQ(to_bf16(from_bf16(half)), half);
    }
  }
}

TEST(Half, everything_between_two_neighbours_goes_to_the_nearer_one) {
  const auto check = [](const std::vector<float>& values, uint16_t (*encode)(float)) {
    for (size_t n = 0; n + 1 < values.size(); ++n) {
      const double middle = (static_cast<double>(values[n]) + values[n + 1]) / 2;
      const auto at = static_cast<float>(middle);
      if (at != middle) continue;  // below the smallest float
      const size_t even = n % 2 == 0 ? n : n + 1;
      EXPECT_EQ(encode(at), even) << at;
      EXPECT_EQ(encode(std::nextafter(at, INFINITY)), n + 1) << at;
      EXPECT_EQ(encode(std::nextafter(at, 0.0f)), n) << at;
    }
  };
  check(positive_values(from_f16, 0x7c00), to_f16);
  check(positive_values(from_bf16, 0x7f80), to_bf16);
}

}  // namespace
}  // namespace mdh::scalar::half_test
