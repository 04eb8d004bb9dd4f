#include "mdh/scalar/enclosure/enclosure.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace mdh::scalar {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_nan(Scalar type, Value v) { return is_floating(type) && std::isnan(v.as_floating()); }

}  // namespace

bool Enclosure::has_numbers() const {
  return !no_number || least != Value::floating(infinity) || greatest != Value::floating(-infinity);
}

Enclosure exactly(Scalar type, Value v) {
  if (is_nan(type, v)) return only_nan();
  return {v, v, false};
}

Enclosure only_nan() { return {Value::floating(infinity), Value::floating(-infinity), true}; }

Enclosure everything(Scalar type) {
  if (type == Scalar::boolean) return {Value::integer(0), Value::integer(1)};
  // The cast saturates: it gives the least and the greatest integer of the type.
  return {from_floating(type, -infinity), from_floating(type, infinity), is_floating(type)};
}

Enclosure hull(Scalar type, const Enclosure& a, const Enclosure& b) {
  const bool lower = rank_of(type, b.least) < rank_of(type, a.least);
  const bool upper = rank_of(type, b.greatest) > rank_of(type, a.greatest);
  return {lower ? b.least : a.least, upper ? b.greatest : a.greatest, a.no_number || b.no_number};
}

bool contains(Scalar type, const Enclosure& e, Value v) {
  if (is_nan(type, v)) return e.no_number;
  const int64_t rank = rank_of(type, v);
  return rank_of(type, e.least) <= rank && rank <= rank_of(type, e.greatest);
}

int64_t rank_of(Scalar type, Value v) {
  const int64_t bits = v.as_integer();
  if (is_signed(type)) return bits;
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  if (!is_floating(type)) return bits ^ least;
  // Doubles are sign and magnitude: those below zero are ordered the other way round.
  return bits < 0 ? bits ^ ~least : bits;
}

std::string to_string(Scalar type, const Enclosure& e) {
  if (!e.has_numbers()) return "nan";
  if (e.is_point()) return to_string(type, e.least);
  return fmt::format("[{}, {}]{}", to_string(type, e.least), to_string(type, e.greatest),
                     e.no_number ? " or nan" : "");
}

}  // namespace mdh::scalar
