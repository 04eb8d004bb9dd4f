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

/// Whether literals need to show their type because nothing around them tells it.
enum class Literals { bare, typed };

/// A literal that is never read as anything else.
bool is_self_typed(const Type& type, Value value) {
  if (!type.is_scalar()) return true;
  const Scalar scalar = scalar_of(type);
  return scalar == Scalar::boolean || scalar == Scalar::i64 || scalar == Scalar::f64 ||
         (scalar == Scalar::u64 && value.as_integer() < 0);
}

std::string literal_text(const Type& type, Value value, Literals literals) {
  if (literals == Literals::typed && !is_self_typed(type, value)) {
    return fmt::format("{}({})", to_string(type), literal_text(type, value, Literals::bare));
  }
  if (type == Type(Undecided::decimal)) return decimal_text(to_string(Scalar::f64, value));
  if (!type.is_scalar()) return to_string(Scalar::i64, value);
  const Scalar scalar = scalar_of(type);
  const std::string digits = to_string(scalar, value);
  return is_floating(scalar) ? decimal_text(digits) : digits;
}

/// Some variable or cast inside gives the expression its type, and so to the literals beside it.
bool tells_its_type(const Expr& e) {
  if (e.as<Literal>()) return false;
  if (const auto* u = e.as<Unary>()) return tells_its_type(u->operand);
  if (const auto* s = e.as<Select>())
    return tells_its_type(s->then) || tells_its_type(s->otherwise);
  const auto* b = e.as<Binary>();
  const bool is_truth = b && (is_comparison(b->op) || is_logical(b->op));
  return !b || is_truth || tells_its_type(b->left) || tells_its_type(b->right);
}

std::string print_at(const Expr& e, int strength, Literals literals);

std::string print_binary(const Binary& b, int strength, Literals literals) {
  const OperatorRow& row = operator_row(b.op);
  if (is_comparison(b.op)) {
    const bool told = tells_its_type(b.left) || tells_its_type(b.right);
    literals = told ? Literals::bare : Literals::typed;
  }
  if (row.strength < 0) {
    return fmt::format("{}({}, {})", row.text, print_at(b.left, 0, literals),
                       print_at(b.right, 0, literals));
  }
  // Left-associative: the right operand needs parentheses already at equal strength.
  const std::string text = fmt::format("{} {} {}", print_at(b.left, row.strength, literals),
                                       row.text, print_at(b.right, row.strength + 1, literals));
  return row.strength < strength ? "(" + text + ")" : text;
}

std::string print_unary(const Unary& u, int strength, Literals literals) {
  const char* sign = u.op == UnaryOp::negate ? "-" : "!";
  const std::string text = sign + print_at(u.operand, unary_strength, literals);
  return strength > unary_strength ? "(" + text + ")" : text;
}

std::string print_select(const Select& s, int strength, Literals literals) {
  const std::string text =
      fmt::format("if {} then {} else {}", print_at(s.condition, 0, Literals::bare),
                  print_at(s.then, 0, literals), print_at(s.otherwise, 0, literals));
  return strength > 0 ? "(" + text + ")" : text;
}

/// A cast takes any type: its operand has to tell its own.
std::string print_cast(const Type& type, const Expr& operand) {
  const Literals literals = tells_its_type(operand) ? Literals::bare : Literals::typed;
  return fmt::format("{}({})", to_string(type), print_at(operand, 0, literals));
}

std::string print_call(const Call& call) {
  std::vector<std::string> texts;
  for (const Expr& argument : call.arguments) {
    texts.push_back(print_at(argument, 0, Literals::bare));
  }
  return fmt::format("{}({})", call.name, join(texts, ", "));
}

std::string print_at(const Expr& e, int strength, Literals literals) {
  if (const auto* number = e.as<Literal>()) return literal_text(e.type(), number->value, literals);
  if (const auto* v = e.as<Variable>()) return v->symbol.name;
  if (const auto* u = e.as<Unary>()) return print_unary(*u, strength, literals);
  if (const auto* b = e.as<Binary>()) return print_binary(*b, strength, literals);
  if (const auto* s = e.as<Select>()) return print_select(*s, strength, literals);
  if (const auto* c = e.as<Cast>()) return print_cast(e.type(), c->operand);
  return print_call(*e.as<Call>());
}

}  // namespace

std::string print(const Expr& e) { return print_at(e, 0, Literals::bare); }

std::string print_sum(const Expr& e) {
  return print_at(e, operator_row(BinaryOp::add).strength, Literals::bare);
}

}  // namespace mdh::scalar
