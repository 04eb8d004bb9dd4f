#include "mdh/backend/c/half.h"

#include <fmt/format.h>

namespace mdh::backend {
namespace {

using scalar::Scalar;

// Both dialects read the bits of a float through a union, without a header or a built-in.

// Above 2^-14 thirteen digits of the mantissa go; a carry raises the exponent, in the end to
// infinity. Below, values are multiples of 2^-24, which is what a float near 0.5 is rounded to.
constexpr const char* round_f16 = R"(static inline float mdh_round_f16(float a) {
  union { float value; unsigned bits; } x;
  x.value = a;
  const unsigned sign = x.bits & 0x80000000U;
  unsigned magnitude = x.bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return a;
  if (magnitude < 0x38800000U) {
    x.bits = magnitude;
    x.value = (x.value + 0.5f) - 0.5f;
    magnitude = x.bits;
  } else {
    magnitude = (magnitude + 0xfffU + (magnitude >> 13 & 1U)) & 0xffffe000U;
    if (magnitude > 0x477fe000U) magnitude = 0x7f800000U;
  }
  x.bits = sign | magnitude;
  return x.value;
})";

constexpr const char* round_bf16 = R"(static inline float mdh_round_bf16(float a) {
  union { float value; unsigned bits; } x;
  x.value = a;
  if ((x.bits & 0x7fffffffU) > 0x7f800000U) return a;
  x.bits = (x.bits + 0x7fffU + (x.bits >> 16 & 1U)) & 0xffff0000U;
  return x.value;
})";

constexpr const char* from_f16 = R"(static inline float mdh_from_f16(unsigned short a) {
  union { float value; unsigned bits; } x;
  const unsigned sign = (a & 0x8000U) << 16, magnitude = a & 0x7fffU;
  if (magnitude < 0x400U) {
    x.value = (float)magnitude * 0x1p-24f;
  } else {
    x.bits = (magnitude << 13) + (magnitude < 0x7c00U ? 0x38000000U : 0x70000000U);
  }
  x.bits |= sign;
  return x.value;
})";

constexpr const char* from_bf16 = R"(static inline float mdh_from_bf16(unsigned short a) {
  union { float value; unsigned bits; } x;
  x.bits = (unsigned)a << 16;
  return x.value;
})";

// The value is one of the format: nothing is left to round.
constexpr const char* to_f16 = R"(static inline unsigned short mdh_to_f16(float a) {
  union { float value; unsigned bits; } x;
  x.value = a;
  const unsigned sign = x.bits >> 16 & 0x8000U, magnitude = x.bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return (unsigned short)(sign | 0x7e00U);
  if (magnitude > 0x477fe000U) return (unsigned short)(sign | 0x7c00U);
  if (magnitude >= 0x38800000U) return (unsigned short)(sign | (magnitude - 0x38000000U) >> 13);
  x.bits = magnitude;
  return (unsigned short)(sign | (unsigned)(x.value * 0x1p24f));
})";

constexpr const char* to_bf16 = R"(static inline unsigned short mdh_to_bf16(float a) {
  union { float value; unsigned bits; } x;
  x.value = a;
  const unsigned quiet = (x.bits & 0x7fffffffU) > 0x7f800000U ? 0x40U : 0U;
  return (unsigned short)(x.bits >> 16 | quiet);
})";

std::string applied(Helpers& helpers, const std::string& verb, Scalar type,
                    const char* definition_of_f16, const char* definition_of_bf16,
                    const std::string& operand) {
  const std::string name = fmt::format("mdh_{}_{}", verb, to_string(type));
  helpers.define_operation(name, type == Scalar::f16 ? definition_of_f16 : definition_of_bf16);
  return fmt::format("{}({})", name, operand);
}

}  // namespace

bool is_half(Scalar type) { return type == Scalar::f16 || type == Scalar::bf16; }

std::string rounded_half(Helpers& helpers, Scalar type, const std::string& value) {
  return applied(helpers, "round", type, round_f16, round_bf16, value);
}

std::string unpacked_half(Helpers& helpers, Scalar type, const std::string& bits) {
  return applied(helpers, "from", type, from_f16, from_bf16, bits);
}

std::string packed_half(Helpers& helpers, Scalar type, const std::string& value) {
  return applied(helpers, "to", type, to_f16, to_bf16, value);
}

}  // namespace mdh::backend
