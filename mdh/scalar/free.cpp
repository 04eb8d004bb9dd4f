#include "mdh/scalar/free.h"

#include <algorithm>

#include "mdh/scalar/function.h"

namespace mdh::scalar {
namespace {

void add_free(const Expr& e, const std::vector<Symbol>& bound, Variables& found);

void add_inside(const Loop& l, std::vector<Symbol> bound, Variables& found) {
  for (const Binding& b : l.initial) bound.push_back(b.symbol);
  add_free(l.condition, bound, found);
  for (const Binding& b : l.updates) add_free(b.value, bound, found);
  add_free(l.result, bound, found);
}

/// Initial values belong to the surroundings of a loop, all else sees its variables.
void add_free(const Expr& e, const std::vector<Symbol>& bound, Variables& found) {
  if (const auto* l = e.as<Loop>()) {
    for (const Binding& b : l->initial) add_free(b.value, bound, found);
    return add_inside(*l, bound, found);
  }
  if (const auto* v = e.as<Variable>()) {
    const bool is_known = std::find(bound.begin(), bound.end(), v->symbol) != bound.end() ||
                          std::any_of(found.begin(), found.end(),
                                      [&](const auto& f) { return f.first == v->symbol; });
    if (!is_known) found.emplace_back(v->symbol, e.type());
  }
  for_each_child(e, [&](const Expr& child) { add_free(child, bound, found); });
}

}  // namespace

Variables free_variables(const Expr& e) {
  Variables found;
  add_free(e, {}, found);
  return found;
}

Variables captured(const Loop& l) {
  Variables found;
  add_inside(l, {}, found);
  return found;
}

bool has_loop(const Expr& e) {
  if (e.as<Loop>()) return true;
  bool found = false;
  for_each_child(e, [&](const Expr& child) { found = found || has_loop(child); });
  return found;
}

namespace {

bool loops_or_calls_one_that_does(const Expr& e) {
  const auto* call = e.as<Call>();
  if (e.as<Loop>() || (call && call->callee && has_loop(*call->callee))) return true;
  bool found = false;
  for_each_child(e,
                 [&](const Expr& child) { found = found || loops_or_calls_one_that_does(child); });
  return found;
}

}  // namespace

bool has_loop(const Function& f) {
  const auto loops = [](const Assignment& a) { return loops_or_calls_one_that_does(a.value); };
  return std::any_of(f.locals.begin(), f.locals.end(), loops) ||
         std::any_of(f.results.begin(), f.results.end(), loops);
}

}  // namespace mdh::scalar
