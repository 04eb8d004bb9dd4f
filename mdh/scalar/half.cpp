#include "mdh/scalar/half.h"

#include <bit>
#include <cmath>

namespace mdh::scalar {
namespace {

/// x / 2^shift, rounded to the nearest integer, ties to even.
uint32_t rounded_shift(uint32_t x, int shift) {
  if (shift > 31) return 0;
  const uint32_t kept = x >> shift;
  const uint32_t rest = x & ((uint32_t{1} << shift) - 1);
  const uint32_t half = uint32_t{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  return kept + (up ? 1 : 0);
}

}  // namespace

uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);   // not a number
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);  // 2^16 and above
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent < -14) {
    // Subnormal: units of 2^-24. The implicit bit becomes explicit.
    if (exponent < -26) return sign;
    const uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    return static_cast<uint16_t>(sign | rounded_shift(mantissa, -1 - exponent));
  }
  // A carry out of the mantissa raises the exponent, in the end to infinity, as it should.
  const uint32_t rebased = magnitude - (uint32_t{127 - 15} << 23);
  return static_cast<uint16_t>(sign | rounded_shift(rebased, 13));
}

float from_f16(uint16_t bits) {
  const bool negative = (bits & 0x8000) != 0;
  const int exponent = bits >> 10 & 0x1f;
  const auto mantissa = static_cast<float>(bits & 0x3ff);
  float value = 0;
  if (exponent == 31) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, -24);
  } else {
    value = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return negative ? -value : value;
}

uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>(rounded_shift(bits, 16));
}

float from_bf16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace mdh::scalar
