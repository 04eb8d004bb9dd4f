#include "mdh/passes/common/facts.h"

#include <algorithm>
#include <numeric>

#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Expr;
using scalar::BinaryOp;
using scalar::Linear;

/// A comparison as left < right, or left <= right.
struct Order {
  Expr left, right;
  bool strict;
};

std::optional<Order> order_of(const Expr& comparison) {
  const auto* b = comparison.as<scalar::Binary>();
  if (!b) return std::nullopt;
  if (b->op == BinaryOp::less) return Order{b->left, b->right, true};
  if (b->op == BinaryOp::less_equal) return Order{b->left, b->right, false};
  if (b->op == BinaryOp::greater) return Order{b->right, b->left, true};
  if (b->op == BinaryOp::greater_equal) return Order{b->right, b->left, false};
  return std::nullopt;
}

const scalar::Binary* as(const Expr& e, BinaryOp op) {
  const auto* b = e.as<scalar::Binary>();
  return b && b->op == op ? b : nullptr;
}

Linear difference(const Linear& a, const Linear& b) {
  Linear result = a;
  result.constant -= b.constant;
  for (const auto& [term, factor] : b.terms) {
    if ((result.terms[term] -= factor) == 0) result.terms.erase(term);
  }
  return result;
}

/// The same bound, as near as whole numbers come: 8 a - 15 <= 0 is 8 a - 8 <= 0.
Linear tightened(Linear sum) {
  int64_t common = 0;
  for (const auto& [term, factor] : sum.terms) common = std::gcd(common, factor);
  if (common > 1) {
    const int64_t rest = ((-sum.constant) % common + common) % common;
    sum.constant += rest;
  }
  return sum;
}

bool is_never_negative(const Expr& e) {
  const auto value = constant(e);
  return value ? *value >= 0 : e.as<scalar::Variable>() != nullptr;  // counters begin at 0
}

/// Sums none of which is above 0 if, and only if, the order holds. Below a minimum means below
/// both of its sides.
void add_sums(const Order& o, std::vector<Linear>& sums) {
  if (const auto* both = as(o.right, BinaryOp::minimum)) {
    add_sums({o.left, both->left, o.strict}, sums);
    add_sums({o.left, both->right, o.strict}, sums);
    return;
  }
  const auto* ratio = as(o.right, BinaryOp::divide);
  const auto by = ratio ? constant(ratio->right) : std::nullopt;
  if (by && *by > 0 && o.strict && is_never_negative(o.left)) {
    // l < a / n is l + 1 <= a / n is n l + n <= a, as l + 1 is above 0.
    const Expr times = scalar::index_literal(*by);
    add_sums({o.left * times + times, ratio->left, false}, sums);
    return;
  }
  Linear sum = difference(scalar::linear(o.left), scalar::linear(o.right));
  if (o.strict) ++sum.constant;
  sums.push_back(sum);
}

void learn(const Order& o, std::vector<Linear>& known) {
  std::vector<Linear> sums;
  add_sums(o, sums);
  for (const Linear& sum : sums) known.push_back(tightened(sum));
}

/// l <= a / n where n l <= a: rounded towards zero, the quotient is never below the floor, and l is
/// a whole number.
bool imply_below_quotient(const Facts& facts, const Order& order) {
  const auto* ratio = as(order.right, BinaryOp::divide);
  const auto by = constant(ratio->right);
  if (!by || *by <= 0) return false;
  const Expr times = scalar::index_literal(*by);
  const Expr least = order.strict ? order.left * times + times : order.left * times;
  return facts.imply(scalar::binary(BinaryOp::less_equal, least, ratio->left));
}

}  // namespace

void Facts::set_range(const Symbol& var, int64_t greatest) { greatest_[var.name] = greatest; }

void Facts::assume(const Expr& condition) {
  for (const Expr& part : conjuncts(condition)) {
    if (const auto order = order_of(part)) learn(*order, never_positive_);
  }
}

void Facts::set_range(const Symbol& var, const Expr& trip) {
  if (const auto count = constant(trip)) set_range(var, *count - 1);
  if (const auto* both = as(trip, BinaryOp::minimum)) {
    set_range(var, both->left);
    set_range(var, both->right);
  }
}

void Facts::assume_below(const Symbol& var, const Expr& trip) {
  set_range(var, trip);
  learn({loop::index_variable(var), trip, true}, never_positive_);
}

void Facts::define(const Symbol& var, const Expr& value) {
  if (as(value, BinaryOp::maximum)) maxima_.insert_or_assign(var.name, value);
}

bool Facts::imply(const Expr& condition) const {
  const std::vector<Expr> parts = conjuncts(condition);
  return std::all_of(parts.begin(), parts.end(), [&](const Expr& part) {
    if (decided(part)) return *decided(part);
    const auto order = order_of(part);
    if (!order) return false;
    if (as(order->right, BinaryOp::divide)) return imply_below_quotient(*this, *order);
    const auto* variable = order->left.as<scalar::Variable>();
    const auto maximum = variable ? maxima_.find(variable->symbol.name) : maxima_.end();
    if (maximum != maxima_.end()) {
      const auto* both = as(maximum->second, BinaryOp::maximum);
      const BinaryOp below = order->strict ? BinaryOp::less : BinaryOp::less_equal;
      return imply(scalar::binary(below, both->left, order->right)) &&
             imply(scalar::binary(below, both->right, order->right));
    }
    std::vector<Linear> sums;
    add_sums(*order, sums);
    return std::all_of(sums.begin(), sums.end(),
                       [&](const Linear& sum) { return is_never_positive(sum); });
  });
}

std::optional<Expr> Facts::open_part(const Expr& condition) const {
  std::vector<Expr> open;
  for (const Expr& part : conjuncts(condition)) {
    if (!imply(part)) open.push_back(part);
  }
  return open.empty() ? std::nullopt : std::optional(all_of(open));
}

bool Facts::is_never_positive(const Linear& sum) const {
  const auto fits = [&](const Linear& s) {
    const auto most = greatest(s);
    return most && *most <= 0;
  };
  return fits(sum) ||
         std::any_of(never_positive_.begin(), never_positive_.end(),
                     [&](const Linear& known) { return fits(difference(sum, known)); });
}

std::optional<int64_t> Facts::greatest(const Linear& sum) const {
  int64_t total = sum.constant;
  for (const auto& [term, factor] : sum.terms) {
    const auto range = greatest_.find(term);
    if (range == greatest_.end()) return std::nullopt;
    if (factor > 0) total += factor * range->second;
  }
  return total;
}

/// What holds inside of the statement, besides what holds around it.
Facts known_inside(const loop::Stmt& s, Facts known) {
  if (const auto* loop = s.as<loop::For>()) {
    // Loops around kernels may run over all parts: those that are empty do nothing.
    if (has_teams(loop->body)) {
      known.set_range(loop->var, loop->trip);
    } else {
      known.assume_below(loop->var, loop->trip);
    }
    if (loop->first > 0) {
      known.assume(scalar::binary(BinaryOp::greater_equal, loop::index_variable(loop->var),
                                  scalar::index_literal(loop->first)));
    }
  }
  if (const auto* lanes = s.as<loop::Lanes>()) known.set_range(lanes->var, lanes->count - 1);
  if (const auto* deal = s.as<loop::Deal>()) {
    for (const loop::Counter& share : deal->shares) known.set_range(share.var, share.count - 1);
  }
  return known;
}

}  // namespace mdh::passes
