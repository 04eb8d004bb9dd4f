#include "mdh/backend/c/lazy.h"

#include <algorithm>
#include <optional>

#include "mdh/scalar/necessary.h"

namespace mdh::backend {
namespace {

using scalar::Assignment;
using scalar::Expr;
using scalar::Function;

/// What all copies of a truth value may be together, in nodes.
constexpr int64_t most_copied = 256;

/// Nodes of a function that is always expanded where it is called, and of all of these places: the
/// straight code of a register tile has thousands of them.
constexpr int64_t most_inlined = 1024, most_in_all = 16384;

std::string linkage_of(Dialect dialect, int64_t size, int64_t calls) {
  return facts_of(dialect).is_gnu && size < most_inlined && size * calls < most_in_all
             ? "static inline __attribute__((always_inline)) "
             : "static inline ";
}

void spend(const Expr& e, int64_t& left);

void spend(const Function& f, int64_t& left) {
  for (const auto* part : {&f.locals, &f.results}) {
    for (const Assignment& a : *part) spend(a.value, left);
  }
}

void spend(const Expr& e, int64_t& left) {
  if (--left <= 0) return;
  scalar::for_each_child(e, [&](const Expr& child) {
    if (left > 0) spend(child, left);
  });
  const auto* call = e.as<scalar::Call>();
  if (left > 0 && call && call->callee) spend(*call->callee, left);
}

/// How often a symbol is mentioned, and whether it only decides there, once per evaluation.
struct Mentions {
  int64_t count = 0;
  bool only_decide = true;
};

enum class Place : uint8_t { decides, gives_a_value, in_a_loop };

void find(const Expr& e, const Symbol& symbol, Place place, Mentions& found) {
  if (const auto* v = e.as<scalar::Variable>()) {
    if (v->symbol != symbol) return;
    ++found.count;
    found.only_decide = found.only_decide && place == Place::decides;
    return;
  }
  if (e.as<scalar::Loop>()) place = Place::in_a_loop;
  const auto within = [&](bool decides) {
    if (place == Place::in_a_loop) return place;
    return decides ? Place::decides : Place::gives_a_value;
  };
  if (const auto* s = e.as<scalar::Select>()) {
    find(s->condition, symbol, within(true), found);
    find(s->then, symbol, within(false), found);
    find(s->otherwise, symbol, within(false), found);
    return;
  }
  const auto* u = e.as<scalar::Unary>();
  const auto* b = e.as<scalar::Binary>();
  const bool decides =
      (u && u->op == scalar::UnaryOp::logical_not) || (b && scalar::is_logical(b->op));
  scalar::for_each_child(e, [&](const Expr& c) { find(c, symbol, within(decides), found); });
}

bool is_lazy(const Function& f, size_t local) {
  const Assignment& a = f.locals[local];
  if (a.value.type() != scalar::Type(scalar::Scalar::boolean)) return false;
  Mentions found;
  for (size_t n = local + 1; n < f.locals.size(); ++n) {
    find(f.locals[n].value, a.target, Place::gives_a_value, found);
  }
  for (const Assignment& r : f.results) find(r.value, a.target, Place::gives_a_value, found);
  if (!found.only_decide || found.count == 0) return false;
  const int64_t size = inlined_size(a.value, most_copied + 1);
  return size * found.count <= most_copied && !runs_a_loop(a.value);
}

void replace(Expr& in, const Assignment& local) {
  in = substitute(in, [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
    return v.symbol == local.target ? std::optional(local.value) : std::nullopt;
  });
}

/// Conditions of fewer nodes are computed at once.
constexpr int64_t least_with_needs = 40;

Expr after_its_needs(const Expr& condition) {
  if (inlined_size(condition, least_with_needs) < least_with_needs) return condition;
  const auto needs = scalar::necessary(condition);
  return needs ? binary(scalar::BinaryOp::logical_and, *needs, condition) : condition;
}

/// Variables of loops have other values in each round: what they decide stays as it is.
Expr choices_after_their_needs(const Expr& e) {
  if (e.as<scalar::Loop>()) return e;
  const Expr inside = map_children(e, choices_after_their_needs);
  const auto* s = inside.as<scalar::Select>();
  if (!s) return inside;
  return select(after_its_needs(s->condition), s->then, s->otherwise, e.where());
}

}  // namespace

bool runs_a_loop(const Expr& e) {
  if (e.as<scalar::Loop>()) return true;
  bool found = false;
  scalar::for_each_child(e, [&](const Expr& child) { found = found || runs_a_loop(child); });
  const auto* call = e.as<scalar::Call>();
  const auto holds = [](const Assignment& a) { return runs_a_loop(a.value); };
  return found ||
         (call && call->callee &&
          (std::any_of(call->callee->locals.begin(), call->callee->locals.end(), holds) ||
           std::any_of(call->callee->results.begin(), call->callee->results.end(), holds)));
}

int64_t inlined_size(const Expr& e, int64_t limit) {
  int64_t left = limit;
  spend(e, left);
  return limit - std::max<int64_t>(left, 0);
}

int64_t inlined_size(const Function& f, int64_t limit) {
  int64_t left = limit;
  spend(f, left);
  return limit - std::max<int64_t>(left, 0);
}

std::string linkage(Dialect dialect, const Expr& e) {
  return linkage_of(dialect, inlined_size(e, most_inlined), 1);
}

std::string linkage(Dialect dialect, const Function& f, int64_t calls) {
  return linkage_of(dialect, inlined_size(f, most_inlined), calls);
}

Function with_lazy_truth(const Function& f) {
  Function result = f;
  for (size_t n = 0; n < result.locals.size();) {
    if (!is_lazy(result, n)) {
      ++n;
      continue;
    }
    const Assignment local = result.locals[n];
    result.locals.erase(result.locals.begin() + static_cast<int64_t>(n));
    for (size_t m = n; m < result.locals.size(); ++m) replace(result.locals[m].value, local);
    for (Assignment& r : result.results) replace(r.value, local);
  }
  return result;
}

Function with_needs_first(const Function& f) {
  Function result = f;
  for (Assignment& local : result.locals) {
    local.value = choices_after_their_needs(local.value);
    const bool is_truth = local.value.type() == scalar::Type(scalar::Scalar::boolean);
    if (is_truth) local.value = after_its_needs(local.value);
  }
  for (Assignment& r : result.results) r.value = choices_after_their_needs(r.value);
  return result;
}

}  // namespace mdh::backend
