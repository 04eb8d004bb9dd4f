#include "mdh/backend/c/operation.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "mdh/backend/c/extreme.h"
#include "mdh/backend/c/half.h"
#include "mdh/backend/c/literal.h"
#include "mdh/backend/rts/rts.h"
#include "mdh/scalar/operator_table.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using scalar::BinaryOp;
using scalar::Scalar;
using scalar::UnaryOp;

bool is_shift(BinaryOp op) { return op == BinaryOp::shift_left || op == BinaryOp::shift_right; }

bool is_division(BinaryOp op, Scalar type) {
  return (op == BinaryOp::divide || op == BinaryOp::remainder) && !scalar::is_floating(type);
}

bool wraps(BinaryOp op, Scalar type) {
  const bool grows = op == BinaryOp::add || op == BinaryOp::multiply;
  return grows && scalar::is_integer(type) && c_type(type) != wrapping_type(type);
}

bool hides_minus(const Helpers& helpers) { return !facts_of(helpers.dialect()).minus_one.empty(); }

/// A minus one that compilers do not know to be one (rts/minus_one.cl). Differences of 64 bits are
/// hidden, too, for compilers narrow them where only 32 bits are used.
const char* minus_one(Helpers& helpers) {
  helpers.define_type("minus_one", rts_text(facts_of(helpers.dialect()).minus_one));
  return "mdh_minus_one";
}

std::string difference(Helpers& helpers, Scalar type, const std::string& a, const std::string& b) {
  const std::string mine = c_type(type), wide = wrapping_type(type);
  if (hides_minus(helpers)) {
    return fmt::format("({0})(({1}){2} + ({1}){3} * ({1}){4})", mine, wide, a, b,
                       minus_one(helpers));
  }
  if (mine == wide) return fmt::format("({} - {})", a, b);
  return fmt::format("({0})(({1}){2} - ({1}){3})", mine, wide, a, b);
}

uint64_t all_ones(Scalar type) { return ~uint64_t{0} >> (64 - 8 * scalar::bytes_of(type)); }

/// A product by -1, or by the greatest number without sign, is a difference, too.
bool has_minus(Scalar type, scalar::Value value) {
  if (!scalar::is_integer(type)) return false;
  return scalar::is_signed(type) ? value.as_integer() < 0 : value.bits == all_ones(type);
}

/// MIN / -1 wraps around, and what is divided by zero becomes 0.
std::string division(Helpers& helpers, BinaryOp op, Scalar type) {
  const bool quotient = op == BinaryOp::divide;
  if (!scalar::is_signed(type)) {
    return fmt::format("return b == 0 ? 0 : a {} b;", quotient ? "/" : "%");
  }
  const std::string negated = quotient ? difference(helpers, type, "0", "a") : "0";
  return fmt::format("return b == 0 ? 0 : b == -1 ? {} : a {} b;", negated, quotient ? "/" : "%");
}

std::string division_helper(Helpers& helpers, BinaryOp op, Scalar type) {
  const std::string name =
      fmt::format("mdh_{}_{}", op == BinaryOp::divide ? "div" : "rem", to_string(type));
  helpers.define_operation(
      name, fmt::format("static inline {0} {1}({0} a, {0} b) {{ {2} }}", helpers.value_type(type),
                        name, division(helpers, op, type)));
  return name;
}

/// Truncates and saturates; what is not a number becomes 0.
std::string truncation(Helpers& helpers, Scalar type, const char* suffix) {
  const int digits = 8 * scalar::bytes_of(type) - (scalar::is_signed(type) ? 1 : 0);
  const scalar::Value least = scalar::from_floating(type, -INFINITY);
  const scalar::Value greatest = scalar::from_floating(type, INFINITY);
  return fmt::format("return a != a ? 0 : a >= 0x1p{}{} ? {} : a <= {} ? {} : ({})a;", digits,
                     suffix, c_literal(type, greatest),
                     scalar::is_signed(type) ? fmt::format("-0x1p{}{}", digits, suffix) : "0",
                     c_constant(helpers, type, least), c_type(type));
}

std::string truncated(Helpers& helpers, Scalar from, Scalar to, const std::string& a) {
  const Scalar wide = from == Scalar::f64 ? Scalar::f64 : Scalar::f32;
  const std::string name = fmt::format("mdh_truncate_{}_{}", to_string(wide), to_string(to));
  helpers.define_operation(
      name,
      fmt::format("static inline {} {}({} a) {{ {} }}", c_type(to), name, helpers.value_type(wide),
                  truncation(helpers, to, wide == Scalar::f64 ? "" : "f")));
  return fmt::format("{}({})", name, a);
}

/// The distance is taken modulo the number of bits, which is a power of two; right shifts of
/// negative numbers are arithmetic in all compilers of interest, and in OpenCL C.
std::string shifted(BinaryOp op, Scalar type, const std::string& a, const std::string& b) {
  const int mask = 8 * scalar::bytes_of(type) - 1;
  if (op == BinaryOp::shift_right) return fmt::format("({} >> ({} & {}))", a, b, mask);
  return fmt::format("({})(({}){} << ({} & {}))", c_type(type), wrapping_type(type), a, b, mask);
}

std::string absolute(Helpers& helpers, Scalar type, const std::string& a) {
  if (!scalar::is_signed(type)) return a;
  const std::string name = fmt::format("mdh_abs_{}", to_string(type));
  helpers.define_operation(
      name, fmt::format("static inline {0} {1}({0} a) {{ return a < 0 ? {2} : a; }}", c_type(type),
                        name, difference(helpers, type, "0", "a")));
  return fmt::format("{}({})", name, a);
}

/// Functions that round correctly give the same in float as in double.
std::string built_in(Dialect dialect, std::string_view name, Scalar type) {
  const std::string_view base = name == "abs" ? "fabs" : name;
  const bool exact = base == "fabs" || base == "sqrt" || base == "floor" || base == "ceil";
  if (facts_of(dialect).has_generic_mathematics) return std::string(base);
  return fmt::format("__builtin_{}{}", base, exact && type == Scalar::f32 ? "f" : "");
}

}  // namespace

std::string c_constant(Helpers& helpers, Scalar type, scalar::Value value) {
  if (!hides_minus(helpers) || !has_minus(type, value)) {
    return c_literal(type, value);
  }
  return fmt::format("({0})(({1}){2}UL * ({1}){3})", c_type(type), wrapping_type(type),
                     (uint64_t{0} - value.bits) & all_ones(type), minus_one(helpers));
}

std::string c_unary(Helpers& helpers, UnaryOp op, Scalar type, const std::string& a) {
  switch (op) {
    case UnaryOp::logical_not:
      return "!" + a;
    case UnaryOp::bit_not:
      if (hides_minus(helpers)) {  // ~a + 1 is -a
        return fmt::format("({0})(({1}){2} ^ ({1}){3})", c_type(type), wrapping_type(type), a,
                           minus_one(helpers));
      }
      return fmt::format("({})(~{})", c_type(type), a);
    case UnaryOp::negate:
      break;
  }
  if (scalar::is_floating(type)) return "(-" + a + ")";
  return c_binary(helpers, BinaryOp::subtract, type, "0", a);
}

std::string c_binary(Helpers& helpers, BinaryOp op, Scalar type, const std::string& a,
                     const std::string& b) {
  if (is_extreme(op)) return fmt::format("{}({}, {})", c_extreme(helpers, op, type), a, b);
  if (is_division(op, type)) {
    return fmt::format("{}({}, {})", division_helper(helpers, op, type), a, b);
  }
  if (is_shift(op)) return shifted(op, type, a, b);
  if (op == BinaryOp::subtract && scalar::is_integer(type)) return difference(helpers, type, a, b);
  const std::string_view sign = scalar::operator_row(op).text;
  if (wraps(op, type)) {
    return fmt::format("({0})(({1}){2} {3} ({1}){4})", c_type(type), wrapping_type(type), a, sign,
                       b);
  }
  std::string text = fmt::format("({} {} {})", a, sign, b);
  const bool rounds = is_half(type) && op >= BinaryOp::add;
  return rounds ? rounded_half(helpers, type, text) : text;
}

std::string c_cast(Helpers& helpers, Scalar from, Scalar to, const std::string& a) {
  if (scalar::is_floating(from) && scalar::is_integer(to)) return truncated(helpers, from, to, a);
  const std::string text = fmt::format("({})({})", helpers.value_type(to), a);
  return is_half(to) && from != to ? rounded_half(helpers, to, text) : text;
}

std::string c_mathematics(Helpers& helpers, const std::string& name, Scalar type,
                          const std::vector<std::string>& arguments) {
  if (!scalar::is_floating(type)) return absolute(helpers, type, arguments.front());
  const Scalar wide = type == Scalar::f64 ? Scalar::f64 : Scalar::f32;
  const std::string value = helpers.value_type(wide);
  const std::string helper = fmt::format("mdh_{}_{}", name, to_string(wide));
  const bool two = arguments.size() == 2;
  helpers.define_operation(
      helper, fmt::format("static inline {0} {1}({0} a{2}) {{ return ({0}){3}(a{4}); }}", value,
                          helper, two ? ", " + value + " b" : "",
                          built_in(helpers.dialect(), name, wide), two ? ", b" : ""));
  const std::string text = fmt::format("{}({})", helper, join(arguments, ", "));
  return is_half(type) ? rounded_half(helpers, type, text) : text;
}

std::string c_load(Helpers& helpers, Scalar type, const std::string& lvalue) {
  if (is_half(type)) return unpacked_half(helpers, type, lvalue);
  return type == Scalar::boolean ? fmt::format("({} != 0)", lvalue) : lvalue;
}

std::string c_stored(Helpers& helpers, Scalar type, const std::string& value) {
  return is_half(type) ? packed_half(helpers, type, value) : value;
}

std::string c_inside(Helpers& helpers, const std::string& index, int count) {
  helpers.define_operation("mdh_inside",
                           "static inline long mdh_inside(long index, long count) { return index "
                           ">= 0 && index < count ? index : 0; }");
  return fmt::format("mdh_inside({}, {})", index, count);
}

}  // namespace mdh::backend
