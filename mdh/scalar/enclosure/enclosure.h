// Enclosures: all values that right generated code may compute for one scalar.
//
// Compilers and devices may deviate from the declared operations in known ways: fused
// multiply-add, mathematics that is off by some ulps, loose division. An enclosure is the interval
// of everything that can come out; `enclosing_function.h` evaluates functions on them.
#pragma once

#include <string>

#include "mdh/scalar/value.h"

namespace mdh::scalar {

/// The interval from `least` to `greatest` and, if `no_number`, also NaN. -0 is less than +0: right
/// code has the declared sign of zero, because a division can tell. Where nothing but NaN is
/// possible the interval is empty, from +infinity to -infinity.
struct Enclosure {
  Value least, greatest;
  bool no_number = false;

  bool is_point() const { return least == greatest && !no_number; }
  bool has_numbers() const;
  friend bool operator==(const Enclosure&, const Enclosure&) = default;
};

Enclosure exactly(Scalar type, Value v);
Enclosure only_nan();

/// All values of the type; for floats NaN as well.
Enclosure everything(Scalar type);

/// The least enclosure of both.
Enclosure hull(Scalar type, const Enclosure& a, const Enclosure& b);
bool contains(Scalar type, const Enclosure& e, Value v);

/// Integers that are ordered as the numbers of a type are, with -0 before +0; not for NaN.
int64_t rank_of(Scalar type, Value v);

std::string to_string(Scalar type, const Enclosure& e);

}  // namespace mdh::scalar
