#include "mdh/backend/c/literal.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace mdh::backend {
namespace {

using scalar::Scalar;
using scalar::Value;

std::string floating_literal(Scalar type, double value) {
  const char* suffix = type == Scalar::f64 ? "" : "f";
  if (std::isnan(value)) return fmt::format("(0.0{0} / 0.0{0})", suffix);
  if (std::isinf(value))
    return fmt::format("({}1.0{} / 0.0{})", value < 0 ? "-" : "", suffix, suffix);
  std::string digits = scalar::to_string(type, Value::floating(value));
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return std::signbit(value) ? fmt::format("({}{})", digits, suffix) : digits + suffix;
}

std::string integer_literal(Scalar type, Value value) {
  const std::string digits = scalar::to_string(type, value);
  if (type == Scalar::i64 && value.as_integer() == INT64_MIN) return "(-9223372036854775807L - 1)";
  if (type == Scalar::i64) return value.as_integer() < 0 ? "(" + digits + "L)" : digits + "L";
  if (type == Scalar::u64) return digits + "UL";
  if (type == Scalar::u32) return digits + "U";
  if (type == Scalar::i32 && value.as_integer() == INT32_MIN) return "(-2147483647 - 1)";
  return value.as_integer() < 0 && scalar::is_signed(type) ? "(" + digits + ")" : digits;
}

}  // namespace

std::string c_literal(Scalar type, Value value) {
  if (type == Scalar::boolean) return value.bits != 0 ? "1" : "0";
  return scalar::is_floating(type) ? floating_literal(type, value.as_floating())
                                   : integer_literal(type, value);
}

}  // namespace mdh::backend
