#include "mdh/hl/trace.h"

#include <algorithm>

#include "mdh/hl/define.h"

namespace mdh::hl::edsl {
namespace {

template <class T>
bool is_known(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

template <class T>
void add_new(std::vector<T>& all, const T& one) {
  if (!is_known(all, one)) all.push_back(one);
}

}  // namespace

Location location(const char* file, int line) {
  return {std::make_shared<const std::string>(file), line, 1};
}

Term mention(const std::string& name) {
  return Term(scalar::variable({name, -1}, scalar::Undecided::name));
}

Expr located(const Expr& e, const Location& where) {
  const Location& own = e.where().known() ? e.where() : where;
  scalar::ExprNode node =
      map_children(e, [&](const Expr& child) { return located(child, own); }).node();
  node.where = own;
  return node;
}

Term::Lets joined(Term::Lets lets, const Term::Lets& more) {
  for (const scalar::Assignment& let : more) add_new(lets, let);
  return lets;
}

std::vector<scalar::Assignment> body_of(const NamedTerms& values, const Location& where) {
  std::vector<scalar::Assignment> body;
  for (const auto& [name, value] : values) body = joined(std::move(body), value.lets());
  for (const auto& [name, value] : values) {
    body.push_back({scalar::local(name), located(value.expr(), where), where});
  }
  return body;
}

Expr without_lets(const Term& term, const std::string& place, const Location& where) {
  if (!term.lets().empty()) {
    const scalar::Assignment& let = term.lets().front();
    user_error("E243", let.where,
               fmt::format("let '{}' cannot be part of {}", let.target.name, place),
               "leave the let out, and use its value");
  }
  return located(term.expr(), where);
}

void check_arity(size_t taken, size_t given, const std::string& whose, const Location& where) {
  if (taken == given) return;
  user_error("E244", where,
             fmt::format("the lambda of {} takes {} terms, but gets {}", whose, taken, given),
             "write one Term parameter per name, in the same order");
}

void Needs::add(const Type& type) {
  if (const scalar::Record* record = type.record()) add_new(all_.records, *record);
}

void Needs::add(const Expr& e) {
  for_each_child(e, [this](const Expr& child) { add(child); });
  add(e.type());
  const auto* call = e.as<scalar::Call>();
  if (call && call->callee) add(*call->callee);
}

void Needs::add(const scalar::Function& function) {
  if (is_known(all_.functions, function)) return;
  for (const scalar::Parameter& parameter : function.parameters) add(parameter.type);
  add(function.locals);
  add(function.results);
  all_.functions.push_back(function);
}

void Needs::add(const std::vector<scalar::Assignment>& body) {
  for (const scalar::Assignment& a : body) add(a.value);
}

void Needs::add(const Definitions& more) {
  for (const auto& record : more.records) add_new(all_.records, record);
  for (const auto& function : more.functions) add_new(all_.functions, function);
  for (const auto& op : more.operators) add_new(all_.operators, op);
  for (const auto& combine : more.combines) add_new(all_.combines, combine);
}

scalar::Scope Needs::scope(const Location& where) const {
  scalar::Scope scope;
  for (const auto& record : all_.records) scope.declare_record(record, where);
  for (const auto& function : all_.functions) scope.declare_function(function, where);
  const auto declare = [&](const auto& definition) {
    declare_operator(definition.name, scope, definition.where);
  };
  for (const auto& op : all_.operators) declare(op);
  for (const auto& combine : all_.combines) declare(combine);
  return scope;
}

}  // namespace mdh::hl::edsl
