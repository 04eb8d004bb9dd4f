#include "mdh/codegen/c_expr.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>

#include "mdh/scalar/operator_table.h"

namespace mdh::codegen {
namespace {

using scalar::BinaryOp;
using scalar::Expr;
using scalar::Scalar;
using scalar::Value;

std::string unsigned_type(Scalar type) {
  switch (scalar::bytes_of(type)) {
    case 1:
      return "unsigned char";
    case 2:
      return "unsigned short";
    case 4:
      return "unsigned";
    default:
      return "unsigned long";
  }
}

/// What integers are computed in: operands narrower than int would be promoted to it, and int must
/// not overflow.
std::string wrapping_type(Scalar type) {
  return scalar::bytes_of(type) == 8 ? "unsigned long" : "unsigned";
}

std::string floating_literal(Scalar type, double value) {
  const char* suffix = type == Scalar::f32 ? "f" : "";
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

std::string literal(const Expr& e) {
  const Scalar type = scalar_of(e.type());
  const Value value = e.as<scalar::Literal>()->value;
  if (type == Scalar::boolean) return value.bits != 0 ? "1" : "0";
  if (scalar::is_floating(type)) return floating_literal(type, value.as_floating());
  return integer_literal(type, value);
}

bool wraps(BinaryOp op) {
  return op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply;
}

bool is_bitwise(BinaryOp op) {
  return op == BinaryOp::bit_or || op == BinaryOp::bit_xor || op == BinaryOp::bit_and;
}

/// MIN / -1 wraps around; division by zero gives 0 here, the reference reports it.
std::string division(BinaryOp op, Scalar type) {
  const bool quotient = op == BinaryOp::divide;
  if (!scalar::is_signed(type)) {
    return fmt::format("return b == 0 ? 0 : a {} b;", quotient ? "/" : "%");
  }
  const std::string minus_one =
      quotient ? fmt::format("({})(0 - ({})a)", c_type(type), unsigned_type(type)) : "0";
  return fmt::format("return b == 0 ? 0 : b == -1 ? {} : a {} b;", minus_one, quotient ? "/" : "%");
}

/// Of two numbers one of which is not a number, the other one.
std::string extreme(BinaryOp op, Scalar type) {
  const char* sign = op == BinaryOp::minimum ? "<" : ">";
  const char* not_a_number = scalar::is_floating(type) ? " || b != b" : "";
  return fmt::format("return a {} b{} ? a : b;", sign, not_a_number);
}

/// Truncates and saturates; what is not a number becomes 0.
std::string truncation(Scalar type) {
  const int digits = 8 * scalar::bytes_of(type) - (scalar::is_signed(type) ? 1 : 0);
  const Value least = scalar::from_floating(type, -INFINITY);
  const Value greatest = scalar::from_floating(type, INFINITY);
  return fmt::format("return a != a ? 0 : a >= 0x1p{} ? {} : a <= {} ? {} : ({})a;", digits,
                     integer_literal(type, greatest),
                     scalar::is_signed(type) ? fmt::format("-0x1p{}", digits) : "0",
                     integer_literal(type, least), c_type(type));
}

}  // namespace

std::string c_type(Scalar type) {
  switch (type) {
    case Scalar::boolean:
      return "_Bool";
    case Scalar::i8:
      return "signed char";
    case Scalar::i16:
      return "short";
    case Scalar::i32:
      return "int";
    case Scalar::i64:
      return "long";
    case Scalar::f16:
    case Scalar::bf16:
      internal_check(false, "{} reached the printer", to_string(type));
      return "";
    case Scalar::f32:
      return "float";
    case Scalar::f64:
      return "double";
    case Scalar::u8:
    case Scalar::u16:
    case Scalar::u32:
    case Scalar::u64:
      return unsigned_type(type);
  }
  return {};
}

std::string c_name(const std::string& name) {
  static const std::set<std::string> reserved = {
      "auto",     "break",     "case",    "char",     "const",    "continue", "default",  "do",
      "double",   "else",      "enum",    "extern",   "float",    "for",      "goto",     "if",
      "inline",   "int",       "long",    "register", "restrict", "return",   "short",    "signed",
      "sizeof",   "static",    "struct",  "switch",   "typedef",  "union",    "unsigned", "void",
      "volatile", "while",     "asm",     "typeof",   "main",     "core",     "cores",    "part",
      "threads",  "workspace", "buffers", "linux",    "unix"};
  const auto begins = [&](std::string_view prefix) { return name.rfind(prefix, 0) == 0; };
  const bool taken = reserved.contains(name) || begins("mdh_") || begins("omp_") || begins("_");
  return taken ? "mdh_" + name : name;
}

std::string ExprPrinter::print(const Expr& e) {
  if (e.as<scalar::Literal>()) return literal(e);
  if (const auto* v = e.as<scalar::Variable>()) return c_name(v->symbol.name);
  if (const auto* u = e.as<scalar::Unary>()) {
    const std::string operand = print(u->operand);
    if (u->op == scalar::UnaryOp::logical_not) return "!" + operand;
    const Scalar type = scalar_of(e.type());
    return scalar::is_floating(type) ? "(-" + operand + ")"
                                     : operation(BinaryOp::subtract, type, "0", operand);
  }
  if (const auto* b = e.as<scalar::Binary>()) {
    return operation(b->op, scalar_of(b->left.type()), print(b->left), print(b->right));
  }
  if (const auto* s = e.as<scalar::Select>()) {
    return fmt::format("({} ? {} : {})", print(s->condition), print(s->then), print(s->otherwise));
  }
  const auto* c = e.as<scalar::Cast>();
  internal_check(c != nullptr, "an unresolved call reached the printer");
  return conversion(scalar_of(c->operand.type()), scalar_of(e.type()), print(c->operand));
}

std::string ExprPrinter::conversion(Scalar from, Scalar to, const std::string& a) {
  if (!scalar::is_floating(from) || !scalar::is_integer(to)) {
    return fmt::format("({})({})", c_type(to), a);
  }
  const std::string name = fmt::format("mdh_truncate_{}", to_string(to));
  define_helper(name, fmt::format("static inline {} {}(double a) {{ {} }}", c_type(to), name,
                                  truncation(to)));
  return fmt::format("{}({})", name, a);
}

std::string ExprPrinter::operation(BinaryOp op, Scalar type, const std::string& a,
                                   const std::string& b) {
  const std::string_view sign = scalar::operator_row(op).text;
  const bool divides = (op == BinaryOp::divide || op == BinaryOp::remainder) && !is_floating(type);
  const bool is_extreme = op == BinaryOp::minimum || op == BinaryOp::maximum;
  if (divides || is_extreme) return fmt::format("{}({}, {})", helper(op, type), a, b);
  if (wraps(op) && !scalar::is_floating(type) && c_type(type) != wrapping_type(type)) {
    return fmt::format("({0})(({1}){2} {3} ({1}){4})", c_type(type), wrapping_type(type), a, sign,
                       b);
  }
  return fmt::format("({} {} {})", a, sign, b);
}

std::string ExprPrinter::helper(BinaryOp op, Scalar type) {
  const bool is_extreme = op == BinaryOp::minimum || op == BinaryOp::maximum;
  const char* verb = op == BinaryOp::minimum   ? "min"
                     : op == BinaryOp::maximum ? "max"
                     : op == BinaryOp::divide  ? "div"
                                               : "rem";
  const std::string name = fmt::format("mdh_{}_{}", verb, to_string(type));
  const std::string body = is_extreme ? extreme(op, type) : division(op, type);
  define_helper(
      name, fmt::format("static inline {0} {1}({0} a, {0} b) {{ {2} }}", c_type(type), name, body));
  return name;
}

/// Guarded, because several kernels may share one translation unit.
void ExprPrinter::define_helper(const std::string& name, const std::string& definition) {
  helpers_[name] =
      fmt::format("#ifndef {0}_defined\n#define {0}_defined\n{1}\n#endif\n", name, definition);
}

std::string ExprPrinter::print_index(const Expr& e) {
  if (const auto* n = e.as<scalar::Literal>()) return fmt::format("{}", n->value.as_integer());
  if (const auto* v = e.as<scalar::Variable>()) return c_name(v->symbol.name);
  const auto* b = e.as<scalar::Binary>();
  internal_check(b != nullptr, "not an index expression");
  if (b->op == BinaryOp::minimum || b->op == BinaryOp::maximum) {
    return fmt::format("{}({}, {})", helper(b->op, Scalar::i64), print_index(b->left),
                       print_index(b->right));
  }
  const int strength = scalar::operator_row(b->op).strength;
  const auto operand = [&](const Expr& side, int least) {
    const auto* inner = side.as<scalar::Binary>();
    const int mine = inner ? scalar::operator_row(inner->op).strength : 0;
    const std::string text = print_index(side);
    // Bit operations bind stronger than comparisons here, and weaker in C.
    const bool weak = mine > 0 && (mine < least || is_bitwise(inner->op));
    return weak ? "(" + text + ")" : text;
  };
  return fmt::format("{} {} {}", operand(b->left, strength), scalar::operator_row(b->op).text,
                     operand(b->right, strength + 1));
}

std::string ExprPrinter::helpers() const {
  std::string text;
  for (const auto& [name, definition] : helpers_) text += definition;
  return text;
}

}  // namespace mdh::codegen
