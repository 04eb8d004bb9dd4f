#include "mdh/scalar/print.h"

#include <algorithm>

#include "mdh/scalar/operator_table.h"
#include "mdh/support/text.h"

namespace mdh::scalar {
namespace {

constexpr int unary_strength = 10;
constexpr int postfix_strength = 11;

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
  if (const auto* l = e.as<Loop>()) return tells_its_type(l->result);
  if (const auto* call = e.as<Call>(); call && !call->callee) {
    return std::any_of(call->arguments.begin(), call->arguments.end(), tells_its_type);
  }
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

const char* sign_of(UnaryOp op) {
  switch (op) {
    case UnaryOp::negate:
      return "-";
    case UnaryOp::bit_not:
      return "~";
    case UnaryOp::logical_not:
      return "!";
  }
  return "";
}

std::string print_unary(const Unary& u, int strength, Literals literals) {
  const std::string text = sign_of(u.op) + print_at(u.operand, unary_strength, literals);
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

/// Arguments of the user's functions have declared types; mathematics takes the type of its
/// arguments, like an operator.
std::string print_call(const Call& call, Literals literals) {
  std::vector<std::string> texts;
  for (const Expr& argument : call.arguments) {
    texts.push_back(print_at(argument, 0, call.callee ? Literals::bare : literals));
  }
  return fmt::format("{}({})", call.name, join(texts, ", "));
}

std::string print_set(const std::vector<Binding>& bindings, Literals literals) {
  std::vector<std::string> texts;
  for (const Binding& binding : bindings) {
    const bool told = literals == Literals::bare || tells_its_type(binding.value);
    texts.push_back(
        fmt::format("{} = {}", binding.symbol.name,
                    print_at(binding.value, 0, told ? Literals::bare : Literals::typed)));
  }
  return join(texts, ", ");
}

/// Initial values tell the types of the loop's variables themselves.
std::string print_loop(const Loop& l, int strength, Literals literals) {
  const std::string text =
      fmt::format("loop ({}) while ({}) {{ {} }} yield {}", print_set(l.initial, Literals::typed),
                  print_at(l.condition, 0, Literals::bare), print_set(l.updates, Literals::bare),
                  print_at(l.result, 0, literals));
  return strength > 0 ? "(" + text + ")" : text;
}

std::string print_at(const Expr& e, int strength, Literals literals) {
  if (const auto* number = e.as<Literal>()) {
    const std::string text = literal_text(e.type(), number->value, literals);
    return strength == postfix_strength ? "(" + text + ")" : text;
  }
  if (const auto* v = e.as<Variable>()) return v->symbol.name;
  if (const auto* u = e.as<Unary>()) return print_unary(*u, strength, literals);
  if (const auto* b = e.as<Binary>()) return print_binary(*b, strength, literals);
  if (const auto* s = e.as<Select>()) return print_select(*s, strength, literals);
  if (const auto* c = e.as<Cast>()) return print_cast(e.type(), c->operand);
  if (const auto* f = e.as<FieldOf>()) {
    return print_at(f->operand, postfix_strength, literals) + "." + f->field;
  }
  if (const auto* at = e.as<ElementOf>()) {
    return fmt::format("{}[{}]", print_at(at->operand, postfix_strength, literals),
                       print_at(at->index, 0, Literals::bare));
  }
  if (const auto* m = e.as<Make>()) {
    return fmt::format("{}{{ {} }}", m->record, print_set(m->fields, Literals::bare));
  }
  if (const auto* l = e.as<Loop>()) return print_loop(*l, strength, literals);
  return print_call(*e.as<Call>(), literals);
}

}  // namespace

std::string print(const Expr& e) { return print_at(e, 0, Literals::bare); }

std::string print_typed(const Expr& e) {
  return print_at(e, 0, tells_its_type(e) ? Literals::bare : Literals::typed);
}

std::string print_sum(const Expr& e) {
  return print_at(e, operator_row(BinaryOp::add).strength, Literals::bare);
}

}  // namespace mdh::scalar
