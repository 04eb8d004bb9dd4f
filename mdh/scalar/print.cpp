#include "mdh/scalar/print.h"

#include "mdh/scalar/operator_table.h"
#include "mdh/support/text.h"

namespace mdh::scalar {
namespace {

constexpr int unary_strength = 10;

/// Floats always show a point or an exponent, so that they are read back as decimals.
std::string decimal_text(std::string digits) {
  const bool plain = digits.find_first_of(".en") == std::string::npos;
  return plain ? digits + ".0" : digits;
}

std::string literal_text(const Type& type, Value value) {
  if (type == Type(Undecided::decimal)) return decimal_text(to_string(Scalar::f64, value));
  if (!type.is_scalar()) return to_string(Scalar::i64, value);
  const Scalar scalar = scalar_of(type);
  const std::string digits = to_string(scalar, value);
  return is_floating(scalar) ? decimal_text(digits) : digits;
}

std::string print_at(const Expr& e, int strength);

std::string print_binary(const Binary& b, int strength) {
  const OperatorRow& row = operator_row(b.op);
  if (row.strength < 0) {
    return fmt::format("{}({}, {})", row.text, print_at(b.left, 0), print_at(b.right, 0));
  }
  // Left-associative: the right operand needs parentheses already at equal strength.
  const std::string text = fmt::format("{} {} {}", print_at(b.left, row.strength), row.text,
                                       print_at(b.right, row.strength + 1));
  return row.strength < strength ? "(" + text + ")" : text;
}

std::string print_unary(const Unary& u, int strength) {
  const char* sign = u.op == UnaryOp::negate ? "-" : "!";
  const std::string text = sign + print_at(u.operand, unary_strength);
  return strength > unary_strength ? "(" + text + ")" : text;
}

std::string print_select(const Select& s, int strength) {
  const std::string text = fmt::format("if {} then {} else {}", print_at(s.condition, 0),
                                       print_at(s.then, 0), print_at(s.otherwise, 0));
  return strength > 0 ? "(" + text + ")" : text;
}

std::string print_call(const std::string& name, const std::vector<Expr>& arguments) {
  std::vector<std::string> texts;
  for (const Expr& argument : arguments) texts.push_back(print_at(argument, 0));
  return fmt::format("{}({})", name, join(texts, ", "));
}

std::string print_at(const Expr& e, int strength) {
  if (const auto* number = e.as<Literal>()) return literal_text(e.type(), number->value);
  if (const auto* v = e.as<Variable>()) return v->symbol.name;
  if (const auto* u = e.as<Unary>()) return print_unary(*u, strength);
  if (const auto* b = e.as<Binary>()) return print_binary(*b, strength);
  if (const auto* s = e.as<Select>()) return print_select(*s, strength);
  if (const auto* c = e.as<Cast>()) return print_call(to_string(e.type()), {c->operand});
  const auto* call = e.as<Call>();
  return print_call(call->name, call->arguments);
}

}  // namespace

std::string print(const Expr& e) { return print_at(e, 0); }

}  // namespace mdh::scalar
