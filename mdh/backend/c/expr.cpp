#include "mdh/backend/c/expr.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/backend/c/extreme.h"
#include "mdh/backend/c/lazy.h"
#include "mdh/backend/c/literal.h"
#include "mdh/backend/c/operation.h"
#include "mdh/backend/c/record.h"
#include "mdh/scalar/necessary.h"
#include "mdh/scalar/operator_table.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using scalar::BinaryOp;
using scalar::Expr;
using scalar::Scalar;

bool is_bitwise(BinaryOp op) {
  return op == BinaryOp::bit_or || op == BinaryOp::bit_xor || op == BinaryOp::bit_and;
}

}  // namespace

// ---- types and memory

std::string ExprPrinter::storage_type(const scalar::Type& type) {
  return type.is_scalar() ? helpers_.storage_type(scalar_of(type)) : c_structure(helpers_, type);
}

std::string ExprPrinter::value_type(const scalar::Type& type) {
  return type.is_scalar() ? helpers_.value_type(scalar_of(type)) : c_structure(helpers_, type);
}

std::string ExprPrinter::load(const scalar::Type& type, const std::string& lvalue) {
  return type.is_scalar() ? c_load(helpers_, scalar_of(type), lvalue) : lvalue;
}

std::string ExprPrinter::store(const scalar::Type& type, const std::string& lvalue,
                               const std::string& value) {
  return fmt::format("{} = {};\n", lvalue,
                     type.is_scalar() ? c_stored(helpers_, scalar_of(type), value) : value);
}

// ---- expressions

std::string ExprPrinter::text(const Expr& e, const Names& names) {
  return std::visit([&](const auto& is) { return node(is, e, names); }, e.node().is);
}

std::string ExprPrinter::node(const scalar::Literal& n, const Expr& e, const Names&) {
  helpers_.value_type(scalar_of(e.type()));  // a double has to be known
  return c_constant(helpers_, scalar_of(e.type()), n.value);
}

std::string ExprPrinter::node(const scalar::Variable& n, const Expr&, const Names& names) {
  const Names::Place place = names.find(n.symbol);
  return place.is_pointer ? "(*" + place.text + ")" : place.text;
}

namespace {

/// So many nodes cost less than a branch that some threads of a warp take and others do not.
constexpr int64_t most_for_both_sides = 24;

/// What C has as 0 or 1: comparisons and what is made of them, not what lies in memory.
bool is_zero_or_one(const Expr& e) {
  if (const auto* u = e.as<scalar::Unary>()) return u->op == scalar::UnaryOp::logical_not;
  const auto* b = e.as<scalar::Binary>();
  if (b && scalar::is_logical(b->op)) return is_zero_or_one(b->left) && is_zero_or_one(b->right);
  return b ? scalar::is_comparison(b->op) : e.as<scalar::Variable>() != nullptr;
}

bool can_compute_both(const scalar::Binary& n) {
  return inlined_size(n.right, most_for_both_sides) < most_for_both_sides &&
         scalar::is_cheap(n.right) && is_zero_or_one(n.left) && is_zero_or_one(n.right);
}

}  // namespace

std::string ExprPrinter::node(const scalar::Unary& n, const Expr& e, const Names& names) {
  return c_unary(helpers_, n.op, scalar_of(e.type()), text(n.operand, names));
}

std::string ExprPrinter::node(const scalar::Binary& n, const Expr&, const Names& names) {
  if (const auto limited = find_limit(n)) {
    const Scalar type = scalar_of(n.left.type());
    const std::string helper = c_limited(helpers_, n.op, type, limited->comparison);
    const std::string value = text(*limited->value, names);
    return fmt::format("{}({}, {})", helper, value, text(*limited->limit, names));
  }
  const std::string left = text(n.left, names), right = text(n.right, names);
  if (scalar::is_logical(n.op) && !facts_of(helpers_.dialect()).branches_are_cheap &&
      can_compute_both(n)) {
    return fmt::format("({} {} {})", left, n.op == BinaryOp::logical_and ? "&" : "|", right);
  }
  return c_binary(helpers_, n.op, scalar_of(n.left.type()), left, right);
}

std::string ExprPrinter::node(const scalar::Select& n, const Expr&, const Names& names) {
  const std::string condition = text(n.condition, names), then = text(n.then, names);
  return fmt::format("({} ? {} : {})", condition, then, text(n.otherwise, names));
}

std::string ExprPrinter::node(const scalar::Cast& n, const Expr& e, const Names& names) {
  return c_cast(helpers_, scalar_of(n.operand.type()), scalar_of(e.type()), text(n.operand, names));
}

std::string ExprPrinter::node(const scalar::FieldOf& n, const Expr& e, const Names& names) {
  const auto* variable = n.operand.as<scalar::Variable>();
  const Names::Place place = variable ? names.find(variable->symbol) : Names::Place{};
  const std::string record = place.is_pointer ? place.text + "->" : text(n.operand, names) + ".";
  return load(e.type(), record + c_name(n.field));
}

std::string ExprPrinter::node(const scalar::ElementOf& n, const Expr& e, const Names& names) {
  const int count = n.operand.type().array()->count;
  const std::optional<int64_t> number = constant(n.index);
  const bool is_inside = number && *number >= 0 && *number < count;
  const std::string index =
      is_inside ? std::to_string(*number) : c_inside(helpers_, text(n.index, names), count);
  return load(e.type(), fmt::format("{}.at[{}]", text(n.operand, names), index));
}

std::string ExprPrinter::node(const scalar::Make& n, const Expr& e, const Names& names) {
  if (facts_of(helpers_.dialect()).is_cpp) return made_by_name(n, e, names);
  std::vector<std::string> fields;
  for (const scalar::Binding& field : n.fields) {
    const scalar::Type& type = field.value.type();
    const std::string value = text(field.value, names);
    fields.push_back(
        fmt::format(".{} = {}", c_name(field.symbol.name),
                    type.is_scalar() ? c_stored(helpers_, scalar_of(type), value) : value));
  }
  return fmt::format("(({}){{{}}})", c_structure(helpers_, e.type()), join(fields, ", "));
}

/// Fields in the order of their declaration.
std::string ExprPrinter::made_by_name(const scalar::Make& n, const Expr& e, const Names& names) {
  std::vector<std::string> fields;
  for (const scalar::Field& field : e.type().record()->fields) {
    const auto given = std::find_if(n.fields.begin(), n.fields.end(), [&](const auto& binding) {
      return binding.symbol.name == field.name;
    });
    internal_check(given != n.fields.end(), "a record without its field '{}'", field.name);
    const scalar::Type& type = given->value.type();
    const std::string value = text(given->value, names);
    fields.push_back(type.is_scalar()
                         ? fmt::format("({})({})", helpers_.storage_type(scalar_of(type)),
                                       c_stored(helpers_, scalar_of(type), value))
                         : value);
  }
  const std::string structure = c_structure(helpers_, e.type());
  return fmt::format("{}{{{}}}", structure.substr(std::string("struct ").size()),
                     join(fields, ", "));
}

// ---- indices

std::string ExprPrinter::index_argument(const Expr& e) {
  const std::string text = print_index(e);
  const bool is_word = e.as<scalar::Variable>() || e.as<scalar::Literal>();
  const std::string whole = is_word ? text : "(" + text + ")";
  return index_ == Scalar::i64 ? whole : fmt::format("((long){})", whole);
}

std::string ExprPrinter::print_index(const Expr& e) {
  if (const auto* n = e.as<scalar::Literal>()) return fmt::format("{}", n->value.as_integer());
  if (const auto* v = e.as<scalar::Variable>()) return c_name(v->symbol.name);
  if (const auto* s = e.as<scalar::Select>()) {
    return fmt::format("({} ? {} : {})", print_index(s->condition), print_index(s->then),
                       print_index(s->otherwise));
  }
  const auto* b = e.as<scalar::Binary>();
  internal_check(b != nullptr, "not an index expression");
  if (b->op == BinaryOp::minimum || b->op == BinaryOp::maximum) {
    return c_binary(helpers_, b->op, index_, print_index(b->left), print_index(b->right));
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

}  // namespace mdh::backend
