#include "mdh/backend/c/extreme.h"

#include <fmt/format.h>

#include <cmath>

#include "mdh/backend/c/vector.h"
#include "mdh/backend/c/vector_text.h"

namespace mdh::backend {
namespace {

using scalar::BinaryOp;
using scalar::Expr;
using scalar::Scalar;

/// Values that are equal have equal bits, but for the zeros: together they have the sign that wins.
const char* joined_bits(BinaryOp op) { return op == BinaryOp::minimum ? "|" : "&"; }
const char* sign_of(BinaryOp op) { return op == BinaryOp::minimum ? "<" : ">"; }

std::string name_of(const char* of_minimum, const char* of_maximum, BinaryOp op,
                    const std::string& type) {
  return fmt::format("mdh_{}_{}", op == BinaryOp::minimum ? of_minimum : of_maximum, type);
}

/// NVIDIA's GPUs have an instruction with our meaning for f32: -0 is less than +0, and a number wins
/// against no number. Nothing for other types.
std::string with_ptx(BinaryOp op, Scalar type, const std::string& otherwise) {
  if (type == Scalar::f64) return otherwise;
  return fmt::format(
      "#ifdef __CUDA_ARCH__\n  float both;\n"
      "  asm(\"{}.f32 %0, %1, %2;\" : \"=f\"(both) : \"f\"(a), \"f\"(b));\n"
      "  return both;\n#else\n{}#endif\n",
      op == BinaryOp::minimum ? "min" : "max", otherwise);
}

std::string extreme_of_floats(Dialect dialect, BinaryOp op, Scalar type,
                              const std::string& value_type) {
  const std::string differ =
      facts_of(dialect).has_generic_mathematics
          ? fmt::format("{}(a, b)", op == BinaryOp::minimum ? "fmin" : "fmax")
          : fmt::format("a {} b || b != b ? a : b", sign_of(op));
  const std::string chosen = fmt::format(
      "  union {{ {0} value; {1} bits; }} x, y;\n  x.value = a;\n  y.value = b;\n"
      "  x.bits {2}= y.bits;\n  return a == b ? x.value : ({3});\n",
      value_type, type == Scalar::f64 ? "unsigned long" : "unsigned", joined_bits(op), differ);
  return "{\n" + (facts_of(dialect).has_ptx ? with_ptx(op, type, chosen) : chosen) + "}";
}

/// Nothing where the value is not written down.
std::optional<double> written_value(const Expr& e) {
  if (const auto* number = e.as<scalar::Literal>()) return number->value.as_floating();
  const auto* u = e.as<scalar::Unary>();
  if (!u || u->op != scalar::UnaryOp::negate) return std::nullopt;
  const auto positive = written_value(u->operand);
  return positive ? std::optional(-*positive) : std::nullopt;
}

/// The comparison by which the limit loses: nothing if it is not written down, or NaN. Of two zeros
/// the value has to lose, or to win, whatever its sign.
std::optional<Comparison> comparison_with(BinaryOp op, const Expr& limit) {
  const auto value = written_value(limit);
  if (!value || std::isnan(*value)) return std::nullopt;
  const bool wins = *value != 0 || std::signbit(*value) == (op == BinaryOp::minimum);
  return wins ? Comparison::strict : Comparison::or_equal;
}

std::string sign_of(BinaryOp op, Comparison comparison) {
  return std::string(sign_of(op)) + (comparison == Comparison::strict ? "" : "=");
}

std::string name_of(BinaryOp op, Comparison comparison, const std::string& type) {
  return comparison == Comparison::strict ? name_of("at_most", "at_least", op, type)
                                          : name_of("below", "above", op, type);
}

std::string plain_vector_extreme(Helpers& helpers, const std::string& name, const std::string& sign,
                                 Scalar type, int64_t lanes) {
  const std::string mine = vector_type(helpers, type, lanes);
  const std::string mask = vector_type(helpers, mask_of_width(scalar::bytes_of(type)), lanes);
  helpers.define_operation(name, fmt::format("static inline {0} {1}({0} a, {0} b) {{\n"
                                             "  const {2} m = ({2})(a {3} b);\n"
                                             "  return ({0})((({2})a & m) | (({2})b & ~m));\n}}",
                                             mine, name, mask, sign));
  return name;
}

/// x86 has one instruction with our meaning, from AVX-512DQ on, for vectors of 16, 32 and 64 bytes:
/// it chooses by value where -0 is less than +0, and a number where the other is no number. Nothing
/// for other vectors. 4 asks for the minimum with its own sign, 5 for the maximum; -1 is no mask,
/// and the last 4 keeps the mode of rounding.
std::optional<std::string> instruction_of_x86(BinaryOp op, Scalar type, int64_t lanes) {
  const int64_t bits = 8 * scalar::bytes_of(type) * lanes;
  if (bits != 128 && bits != 256 && bits != 512) return std::nullopt;
  return fmt::format("__builtin_ia32_range{}{}_mask(a, b, {}, a, -1{})",
                     type == Scalar::f64 ? "pd" : "ps", bits, op == BinaryOp::minimum ? 4 : 5,
                     bits == 512 ? ", 4" : "");
}

/// The body of a function: the instruction where there is one, else what means the same.
std::string with_instruction(const std::optional<std::string>& instruction,
                             const std::string& otherwise) {
  if (!instruction) return "{\n" + otherwise + "}";
  return fmt::format(
      "{{\n#if defined __AVX512DQ__ && defined __AVX512VL__\n  return {};\n#else\n{}#endif\n}}",
      *instruction, otherwise);
}

}  // namespace

bool is_extreme(BinaryOp op) { return op == BinaryOp::minimum || op == BinaryOp::maximum; }

std::string c_extreme(Helpers& helpers, BinaryOp op, Scalar type) {
  const std::string name = name_of("min", "max", op, to_string(type));
  const std::string value = helpers.value_type(type);
  const std::string body = scalar::is_floating(type)
                               ? extreme_of_floats(helpers.dialect(), op, type, value)
                               : fmt::format("{{ return a {} b ? a : b; }}", sign_of(op));
  helpers.define_operation(
      name, fmt::format("static inline {0} {1}({0} a, {0} b) {2}", value, name, body));
  return name;
}

std::string vector_extreme(Helpers& helpers, BinaryOp op, Scalar type, int64_t lanes) {
  const std::string mine = vector_type(helpers, type, lanes);
  const std::string mask = vector_type(helpers, mask_of_width(scalar::bytes_of(type)), lanes);
  const std::string name = name_of("min", "max", op, mine);
  if (!scalar::is_floating(type)) {
    return plain_vector_extreme(helpers, name, sign_of(op), type, lanes);
  }
  // -0 | +0 is -0, and -0 & +0 is +0; elsewhere the last operand changes nothing. It mentions both
  // because compilers that know one of them (clang 14) may choose either zero before.
  const std::string zeros = op == BinaryOp::minimum
                                ? fmt::format("| ((({0})a | ({0})b) & ({0})(a == b))", mask)
                                : fmt::format("& ((({0})a & ({0})b) | ~({0})(a == b))", mask);
  const std::string chosen = fmt::format(
      "  const {1} m = ({1})(a {2} b) | ({1})(b != b);\n"
      "  return ({0})(((({1})a & m) | (({1})b & ~m)) {3});\n",
      mine, mask, sign_of(op), zeros);
  helpers.define_operation(
      name, fmt::format("static inline {0} {1}({0} a, {0} b) {2}", mine, name,
                        with_instruction(instruction_of_x86(op, type, lanes), chosen)));
  return name;
}

std::optional<Limited> find_limit(const scalar::Binary& b) {
  if (!is_extreme(b.op) || !scalar::is_floating(scalar_of(b.left.type()))) return std::nullopt;
  if (const auto by = comparison_with(b.op, b.right)) return Limited{&b.left, &b.right, *by};
  if (const auto by = comparison_with(b.op, b.left)) return Limited{&b.right, &b.left, *by};
  return std::nullopt;
}

std::string c_limited(Helpers& helpers, BinaryOp op, Scalar type, Comparison comparison) {
  const std::string name = name_of(op, comparison, to_string(type));
  helpers.define_operation(
      name, fmt::format("static inline {0} {1}({0} a, {0} limit) {{ return a {2} limit ? a : "
                        "limit; }}",
                        helpers.value_type(type), name, sign_of(op, comparison)));
  return name;
}

std::string vector_limited(Helpers& helpers, BinaryOp op, Scalar type, int64_t lanes,
                           Comparison comparison) {
  const std::string name = name_of(op, comparison, vector_type(helpers, type, lanes));
  return plain_vector_extreme(helpers, name, sign_of(op, comparison), type, lanes);
}

}  // namespace mdh::backend
