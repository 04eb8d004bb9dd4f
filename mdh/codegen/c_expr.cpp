#include "mdh/codegen/c_expr.h"

#include <algorithm>
#include <cmath>

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

std::string floating_literal(Scalar type, double value) {
  const char* suffix = type == Scalar::f32 ? "f" : "";
  if (std::isnan(value)) return fmt::format("(0.0{0} / 0.0{0})", suffix);
  if (std::isinf(value))
    return fmt::format("({}1.0{} / 0.0{})", value < 0 ? "-" : "", suffix, suffix);
  std::string digits = scalar::to_string(type, Value::floating(value));
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return value < 0 ? fmt::format("({}{})", digits, suffix) : digits + suffix;
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
    case Scalar::f32:
      return "float";
    case Scalar::f64:
      return "double";
    default:
      return unsigned_type(type);
  }
}

std::string c_name(const std::string& name) {
  static const std::set<std::string> reserved = {
      "auto",     "break",     "case",    "char",     "const",    "continue", "default",  "do",
      "double",   "else",      "enum",    "extern",   "float",    "for",      "goto",     "if",
      "inline",   "int",       "long",    "register", "restrict", "return",   "short",    "signed",
      "sizeof",   "static",    "struct",  "switch",   "typedef",  "union",    "unsigned", "void",
      "volatile", "while",     "asm",     "typeof",   "main",     "core",     "cores",    "part",
      "threads",  "workspace", "buffers", "linux",    "unix"};
  return reserved.contains(name) || name.rfind("mdh_", 0) == 0 || name.rfind('_', 0) == 0
             ? "mdh_" + name
             : name;
}

std::string ExprPrinter::print(const Expr& e) {
  if (e.as<scalar::Literal>()) return literal(e);
  if (const auto* v = e.as<scalar::Variable>()) return c_name(v->symbol.name);
  if (const auto* u = e.as<scalar::Unary>()) {
    const std::string operand = print(u->operand);
    if (u->op == scalar::UnaryOp::logical_not) return "!" + operand;
    const Scalar type = scalar_of(e.type());
    return scalar::is_floating(type) ? "-" + operand
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
  return fmt::format("({})({})", c_type(scalar_of(e.type())), print(c->operand));
}

std::string ExprPrinter::operation(BinaryOp op, Scalar type, const std::string& a,
                                   const std::string& b) {
  const std::string_view sign = scalar::operator_row(op).text;
  const bool divides = (op == BinaryOp::divide || op == BinaryOp::remainder) && !is_floating(type);
  const bool is_extreme = op == BinaryOp::minimum || op == BinaryOp::maximum;
  if (divides || is_extreme) return fmt::format("{}({}, {})", helper(op, type), a, b);
  if (wraps(op) && scalar::is_signed(type)) {
    return fmt::format("({0})(({1}){2} {3} ({1}){4})", c_type(type), unsigned_type(type), a, sign,
                       b);
  }
  // Narrow unsigned operands are promoted to int; the conversion back wraps.
  if (wraps(op) && !scalar::is_floating(type)) {
    return fmt::format("({})({} {} {})", c_type(type), a, sign, b);
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
  // Guarded, because several kernels may share one translation unit.
  helpers_[name] = fmt::format(
      "#ifndef {0}_defined\n#define {0}_defined\nstatic inline {1} {0}({1} a, {1} b) {{ {2} "
      "}}\n#endif\n",
      name, c_type(type), body);
  return name;
}

std::string ExprPrinter::print_index(const Expr& e) {
  if (const auto number = constant(e)) return fmt::format("{}", *number);
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
    const int mine = inner ? scalar::operator_row(inner->op).strength : 100;
    const std::string text = print_index(side);
    return mine > 0 && mine < least ? "(" + text + ")" : text;
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
