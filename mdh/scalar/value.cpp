#include "mdh/scalar/value.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "mdh/scalar/half.h"

namespace mdh::scalar {
namespace {

template <class T>
T read(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
void write(void* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

/// Sign- or zero-extends the low bits, which is what wrap-around means.
Value wrapped(Scalar type, uint64_t bits) {
  switch (type) {
    case Scalar::boolean:
      return {bits != 0 ? uint64_t{1} : uint64_t{0}};
    case Scalar::i8:
      return Value::integer(static_cast<int8_t>(bits));
    case Scalar::i16:
      return Value::integer(static_cast<int16_t>(bits));
    case Scalar::i32:
      return Value::integer(static_cast<int32_t>(bits));
    case Scalar::u8:
      return {static_cast<uint8_t>(bits)};
    case Scalar::u16:
      return {static_cast<uint16_t>(bits)};
    case Scalar::u32:
      return {static_cast<uint32_t>(bits)};
    default:
      return {bits};
  }
}

Value saturated(Scalar type, double f) {
  if (std::isnan(f)) return {0};
  const int digits = 8 * bytes_of(type) - (is_signed(type) ? 1 : 0);
  const uint64_t greatest = ~uint64_t{0} >> (64 - digits);
  if (f >= std::ldexp(1.0, digits)) return {greatest};
  if (!is_signed(type)) return {f <= 0 ? 0 : static_cast<uint64_t>(f)};
  if (f < -std::ldexp(1.0, digits)) return {~greatest};
  return Value::integer(static_cast<int64_t>(f));
}

}  // namespace

Value from_integer(Scalar type, int64_t i) {
  if (type == Scalar::f16) return Value::floating(from_f16(to_f16(static_cast<float>(i))));
  if (type == Scalar::bf16) return Value::floating(from_bf16(to_bf16(static_cast<float>(i))));
  if (type == Scalar::f32) return Value::floating(static_cast<float>(i));
  if (type == Scalar::f64) return Value::floating(static_cast<double>(i));
  return wrapped(type, static_cast<uint64_t>(i));
}

Value from_floating(Scalar type, double f) {
  // 16-bit formats are computed in f32 and rounded afterwards.
  if (type == Scalar::f16) return Value::floating(from_f16(to_f16(static_cast<float>(f))));
  if (type == Scalar::bf16) return Value::floating(from_bf16(to_bf16(static_cast<float>(f))));
  if (type == Scalar::f32) return Value::floating(static_cast<float>(f));
  if (type == Scalar::f64) return Value::floating(f);
  if (type == Scalar::boolean) return Value::integer(f != 0 ? 1 : 0);
  return saturated(type, f);
}

double to_floating(Scalar type, Value v) {
  if (is_floating(type)) return v.as_floating();
  return is_signed(type) ? static_cast<double>(v.as_integer()) : static_cast<double>(v.bits);
}

Value load(Scalar type, const void* address) {
  switch (type) {
    case Scalar::boolean:
    case Scalar::u8:
      return {read<uint8_t>(address)};
    case Scalar::i8:
      return Value::integer(read<int8_t>(address));
    case Scalar::i16:
      return Value::integer(read<int16_t>(address));
    case Scalar::i32:
      return Value::integer(read<int32_t>(address));
    case Scalar::u16:
      return {read<uint16_t>(address)};
    case Scalar::u32:
      return {read<uint32_t>(address)};
    case Scalar::i64:
    case Scalar::u64:
      return {read<uint64_t>(address)};
    case Scalar::f16:
      return Value::floating(from_f16(read<uint16_t>(address)));
    case Scalar::bf16:
      return Value::floating(from_bf16(read<uint16_t>(address)));
    case Scalar::f32:
      return Value::floating(read<float>(address));
    case Scalar::f64:
      return Value::floating(read<double>(address));
  }
  return {};
}

void store(Scalar type, void* address, Value v) {
  switch (bytes_of(type)) {
    case 1:
      return write(address, static_cast<uint8_t>(v.bits));
    case 2:
      if (type == Scalar::f16) return write(address, to_f16(static_cast<float>(v.as_floating())));
      if (type == Scalar::bf16) return write(address, to_bf16(static_cast<float>(v.as_floating())));
      return write(address, static_cast<uint16_t>(v.bits));
    case 4:
      return type == Scalar::f32 ? write(address, static_cast<float>(v.as_floating()))
                                 : write(address, static_cast<uint32_t>(v.bits));
    default:
      return write(address, v.bits);
  }
}

std::string to_string(Scalar type, Value v) {
  if (type == Scalar::boolean) return v.bits != 0 ? "true" : "false";
  if (is_floating(type) && type != Scalar::f64) {
    return fmt::format("{}", static_cast<float>(v.as_floating()));
  }
  if (type == Scalar::f64) return fmt::format("{}", v.as_floating());
  return is_signed(type) ? fmt::format("{}", v.as_integer()) : fmt::format("{}", v.bits);
}

}  // namespace mdh::scalar
