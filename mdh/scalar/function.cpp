#include "mdh/scalar/function.h"

#include <algorithm>
#include <cmath>

namespace mdh::scalar {
namespace {

bool is_operation(const Expr& e) {
  const auto* call = e.as<Call>();
  return e.as<Unary>() || e.as<Binary>() || e.as<Select>() || (call && !call->callee);
}

int64_t operations_in(const Expr& e) {
  int64_t count = is_operation(e) ? 1 : 0;
  for_each_child(e, [&](const Expr& child) { count += operations_in(child); });
  const auto* call = e.as<Call>();
  return count + (call && call->callee ? operations_in(*call->callee) : 0);
}

int depth_of(const Expr& e) {
  int below = 0;
  for_each_child(e, [&](const Expr& child) { below = std::max(below, depth_of(child)); });
  const auto* call = e.as<Call>();
  if (call && call->callee) return below + depth_of(*call->callee);
  return below + (is_operation(e) || e.as<Cast>() ? 1 : 0);
}

bool all_nodes(const Expr& e, bool (*holds)(const Expr&)) {
  if (!holds(e)) return false;
  bool all = true;
  for_each_child(e, [&](const Expr& child) { all = all && all_nodes(child, holds); });
  return all;
}

bool is_float(const Expr& e) { return e.type().is_scalar() && is_floating(scalar_of(e.type())); }

/// A float that becomes an integer or a truth value is cut off somewhere: that decides, too.
bool is_arithmetic(const Expr& e) {
  const auto* b = e.as<Binary>();
  const auto* c = e.as<Cast>();
  const bool decides = (b && (b->op < BinaryOp::add || b->op > BinaryOp::remainder)) ||
                       (c && is_float(c->operand) && !is_float(e));
  return !e.as<Select>() && !e.as<Call>() && !e.as<Loop>() && !decides;
}

bool computes_no_floats(const Expr& e) {
  const auto* b = e.as<Binary>();
  const bool computes = b && b->op >= BinaryOp::add && b->op <= BinaryOp::remainder && is_float(e);
  return !computes && !e.as<Call>() && !e.as<Loop>();
}

bool is_plain_node(const Expr& e) {
  return e.type().is_scalar() && !e.as<Call>() && !e.as<Loop>() && !e.as<FieldOf>() &&
         !e.as<ElementOf>() && !e.as<Make>();
}

bool keeps_integers_node(const Expr& e) {
  if (!e.type().is_scalar() || !is_floating(scalar_of(e.type()))) return true;
  if (const auto* number = e.as<Literal>()) {
    return std::trunc(number->value.as_floating()) == number->value.as_floating();
  }
  const auto* b = e.as<Binary>();
  return !b || b->op != BinaryOp::divide;
}

}  // namespace

bool all_nodes(const Function& f, bool (*holds)(const Expr&)) {
  const auto check = [&](const Assignment& a) { return all_nodes(a.value, holds); };
  return std::all_of(f.results.begin(), f.results.end(), check) &&
         std::all_of(f.locals.begin(), f.locals.end(), check);
}

bool mentions(const Function& f, const Symbol& symbol) {
  const auto check = [&](const Assignment& a) { return mentions(a.value, symbol); };
  return std::any_of(f.results.begin(), f.results.end(), check) ||
         std::any_of(f.locals.begin(), f.locals.end(), check);
}

const Expr& result_of(const Function& f) {
  internal_check(f.results.size() == 1, "{} has {} results", f.name, f.results.size());
  return f.results.front().value;
}

bool is_arithmetic_only(const Function& f) { return all_nodes(f, is_arithmetic); }

bool may_contract(const Function& f, const Function& combine) {
  return is_arithmetic_only(f) &&
         (is_arithmetic_only(combine) || all_nodes(combine, computes_no_floats));
}

bool keeps_integers(const Function& f) { return is_plain(f) && all_nodes(f, keeps_integers_node); }

bool is_plain(const Function& f) {
  const bool scalars = std::all_of(f.parameters.begin(), f.parameters.end(),
                                   [](const Parameter& p) { return p.type.is_scalar(); });
  return f.locals.empty() && scalars && all_nodes(f, is_plain_node);
}

int64_t nodes_of(const Expr& e, int64_t limit) {
  int64_t count = 1;
  for_each_child(e, [&](const Expr& child) {
    if (count < limit) count += nodes_of(child, limit - count);
  });
  return count;
}

int64_t operations_in(const Function& f) {
  int64_t count = 0;
  for (const auto* part : {&f.locals, &f.results}) {
    for (const Assignment& a : *part) count += operations_in(a.value);
  }
  return count;
}

int depth_of(const Function& f) {
  int depth = 0, locals = 0;
  for (const Assignment& a : f.locals) locals += depth_of(a.value);
  for (const Assignment& a : f.results) depth = std::max(depth, depth_of(a.value));
  return locals + depth;
}

}  // namespace mdh::scalar
