#include "mdh/hl/term.h"

#include <algorithm>

#include "mdh/hl/define.h"
#include "mdh/hl/trace.h"

namespace mdh::hl::edsl {
namespace {

using scalar::BinaryOp;
using scalar::UnaryOp;

Term::Lets lets_of(const std::vector<Term>& terms) {
  Term::Lets lets;
  for (const Term& term : terms) lets = joined(std::move(lets), term.lets());
  return lets;
}

Term::Lets lets_of(const NamedTerms& terms) {
  Term::Lets lets;
  for (const auto& [name, term] : terms) lets = joined(std::move(lets), term.lets());
  return lets;
}

std::vector<scalar::Binding> bindings_of(const NamedTerms& terms) {
  std::vector<scalar::Binding> bindings;
  for (const auto& [name, term] : terms) bindings.push_back({scalar::local(name), term.expr()});
  return bindings;
}

Term applied(BinaryOp op, const Term& a, const Term& b) {
  return Term(scalar::binary(op, a.expr(), b.expr()), joined(a.lets(), b.lets()));
}

Term applied(UnaryOp op, const Term& a) { return Term(scalar::unary(op, a.expr()), a.lets()); }

Term called(const std::string& name, const std::vector<Term>& arguments, const Type& type,
            std::shared_ptr<const scalar::Function> callee) {
  std::vector<Expr> exprs;
  for (const Term& argument : arguments) exprs.push_back(argument.expr());
  return Term(scalar::call({name, std::move(exprs), std::move(callee)}, type), lets_of(arguments));
}

bool mentions_any(const Expr& e, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return mentions(e, Symbol{name, -1});
  });
}

/// Lets are computed before the loop, so they cannot know its variables.
void check_outside(const Term::Lets& lets, const NamedTerms& variables) {
  std::vector<std::string> inside;
  for (const auto& [name, initial] : variables) inside.push_back(name);
  for (const scalar::Assignment& let : lets) {
    if (!mentions_any(let.value, inside)) continue;
    user_error("E243", let.where,
               fmt::format("let '{}' depends on a variable of the loop around it", let.target.name),
               "make it a variable of the loop, or leave the let out");
  }
}

}  // namespace

Term Term::field(const std::string& name) const {
  return Term(scalar::field_of(expr_, name), lets_);
}

Term Term::operator[](const Term& index) const {
  return Term(scalar::element_of(expr_, index.expr()), joined(lets_, index.lets()));
}

Term operator+(const Term& a, const Term& b) { return applied(BinaryOp::add, a, b); }
Term operator-(const Term& a, const Term& b) { return applied(BinaryOp::subtract, a, b); }
Term operator*(const Term& a, const Term& b) { return applied(BinaryOp::multiply, a, b); }
Term operator/(const Term& a, const Term& b) { return applied(BinaryOp::divide, a, b); }
Term operator%(const Term& a, const Term& b) { return applied(BinaryOp::remainder, a, b); }
Term operator<(const Term& a, const Term& b) { return applied(BinaryOp::less, a, b); }
Term operator>(const Term& a, const Term& b) { return applied(BinaryOp::greater, a, b); }
Term operator<=(const Term& a, const Term& b) { return applied(BinaryOp::less_equal, a, b); }
Term operator>=(const Term& a, const Term& b) { return applied(BinaryOp::greater_equal, a, b); }
Term operator==(const Term& a, const Term& b) { return applied(BinaryOp::equal, a, b); }
Term operator!=(const Term& a, const Term& b) { return applied(BinaryOp::not_equal, a, b); }
Term operator&&(const Term& a, const Term& b) { return applied(BinaryOp::logical_and, a, b); }
Term operator||(const Term& a, const Term& b) { return applied(BinaryOp::logical_or, a, b); }
Term operator&(const Term& a, const Term& b) { return applied(BinaryOp::bit_and, a, b); }
Term operator|(const Term& a, const Term& b) { return applied(BinaryOp::bit_or, a, b); }
Term operator^(const Term& a, const Term& b) { return applied(BinaryOp::bit_xor, a, b); }
Term operator<<(const Term& a, const Term& b) { return applied(BinaryOp::shift_left, a, b); }
Term operator>>(const Term& a, const Term& b) { return applied(BinaryOp::shift_right, a, b); }
Term operator-(const Term& a) { return applied(UnaryOp::negate, a); }
Term operator!(const Term& a) { return applied(UnaryOp::logical_not, a); }
Term operator~(const Term& a) { return applied(UnaryOp::bit_not, a); }
Term min(const Term& a, const Term& b) { return applied(BinaryOp::minimum, a, b); }
Term max(const Term& a, const Term& b) { return applied(BinaryOp::maximum, a, b); }

Term select(const Term& condition, const Term& then, const Term& otherwise) {
  return Term(scalar::select(condition.expr(), then.expr(), otherwise.expr()),
              lets_of(std::vector{condition, then, otherwise}));
}

Term cast(Type type, const Term& a) {
  return Term(scalar::cast(std::move(type), a.expr()), a.lets());
}

Term math(const std::string& name, const Term& a) {
  return called(name, {a}, scalar::Undecided::name, nullptr);
}

Term math(const std::string& name, const Term& a, const Term& b) {
  return called(name, {a, b}, scalar::Undecided::name, nullptr);
}

Term constant(Scalar type, double value) {
  return Term(scalar::literal(type, scalar::from_floating(type, value)));
}

Term let(const std::string& name, const Term& value, const char* file, int line) {
  const Location where = location(file, line);
  const Expr expr = located(value.expr(), where);
  return Term(mention(name).expr(), joined(value.lets(), {{scalar::local(name), expr, where}}));
}

Term loop(const NamedTerms& initial, const Lambda<LoopBody>& body, const char* file, int line) {
  const Location where = location(file, line);
  check_arity(body.arity(), initial.size(), "a loop", where);
  std::vector<Term> variables;
  for (const auto& [name, value] : initial) variables.push_back(mention(name));
  const LoopBody parts = body(variables);
  if (parts.updates.empty()) {
    user_error("E245", where, "a loop updates nothing", "give .updates at least one variable");
  }
  Term::Lets inside =
      joined(joined(parts.condition.lets(), lets_of(parts.updates)), parts.result.lets());
  check_outside(inside, initial);
  return Term(scalar::loop({bindings_of(initial), parts.condition.expr(),
                            bindings_of(parts.updates), parts.result.expr()},
                           where),
              joined(lets_of(initial), inside));
}

Term Record::operator()(const NamedTerms& fields) const {
  return Term(scalar::make(type_, {type_.record()->name, bindings_of(fields)}), lets_of(fields));
}

Record record(std::string name, const std::vector<scalar::Field>& fields, const char* file,
              int line) {
  const Location where = location(file, line);
  scalar::Record result{std::move(name), {}};
  for (const scalar::Field& field : fields) {
    if (field.count != 0) array_length(field.count, where);
    add_field(result, field, where);
  }
  scalar::Scope scope;
  declare_record(result, scope, where);
  return Record(result);
}

Function::Function(scalar::Function definition)
    : definition_(std::make_shared<const scalar::Function>(std::move(definition))) {}

Term Function::call(const std::vector<Term>& arguments) const {
  return called(definition_->name, arguments, result_of(*definition_).type(), definition_);
}

Function fun(const std::string& name, const std::vector<std::pair<std::string, Type>>& parameters,
             const Type& result, const Lambda<Term>& body, const char* file, int line) {
  const Location where = location(file, line);
  const std::string whose = fmt::format("function '{}'", name);
  check_arity(body.arity(), parameters.size(), whose, where);
  Needs needs;
  std::vector<Term> terms;
  for (const auto& [parameter, type] : parameters) {
    terms.push_back(mention(parameter));
    needs.add(type);
  }
  const std::vector<scalar::Assignment> assignments = body_of({{returned, body(terms)}}, where);
  needs.add(result);
  needs.add(assignments);
  scalar::Scope scope = needs.scope(where), inside = scope;
  scalar::Function header{name, {}, {}, {}};
  for (const auto& [parameter, type] : parameters) {
    header.parameters.push_back({inside.declare_local(parameter, type, "parameter", where), type});
  }
  scalar::Function f = typed_function(std::move(header), result, assignments, inside, where);
  scope.declare_function(f, where);
  return Function(std::move(f));
}

}  // namespace mdh::hl::edsl
