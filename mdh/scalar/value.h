// One scalar value as the evaluators hold it.
#pragma once

#include <bit>
#include <cstdint>

#include "mdh/scalar/type.h"

namespace mdh::scalar {

/// 64 bits whose meaning the type decides: integers sign- or zero-extended, bool 0 or 1, floats as
/// a double that is exactly representable in the type. A provenance evaluation keeps handles in
/// them.
struct Value {
  uint64_t bits = 0;

  static Value integer(int64_t i) { return {static_cast<uint64_t>(i)}; }
  static Value floating(double f) { return {std::bit_cast<uint64_t>(f)}; }
  int64_t as_integer() const { return static_cast<int64_t>(bits); }
  double as_floating() const { return std::bit_cast<double>(bits); }

  friend bool operator==(const Value&, const Value&) = default;
};

/// The value of that type nearest to a 64-bit integer: wraps around for integers, rounds for
/// floats.
Value from_integer(Scalar type, int64_t i);

/// The value of that type nearest to a double: rounds for floats, truncates (and saturates) for
/// integers.
Value from_floating(Scalar type, double f);

/// Any value as a double: for messages, error bounds and statistics.
double to_floating(Scalar type, Value v);

/// Elements in memory, as compiled code sees them.
Value load(Scalar type, const void* address);
void store(Scalar type, void* address, Value v);

std::string to_string(Scalar type, Value v);

}  // namespace mdh::scalar
