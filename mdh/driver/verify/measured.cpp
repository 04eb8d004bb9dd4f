#include "mdh/driver/verify/measured.h"

#include <algorithm>

#include "mdh/scalar/algebra.h"
#include "mdh/scalar/contraction.h"
#include "mdh/scalar/enclosure/deviations.h"

namespace mdh::driver {
namespace {

using scalar::BinaryOp;
using scalar::Expr;
using scalar::Function;
using scalar::Scalar;

bool is_float(const Expr& e) { return e.type().is_scalar() && is_floating(scalar_of(e.type())); }

/// Divisors must not cancel: then the magnitude of a quotient is no bound.
bool is_product(const Expr& e) {
  const auto* b = e.as<scalar::Binary>();
  const auto* c = e.as<scalar::Cast>();
  if (c) return is_product(c->operand);
  return !b || (b->op == BinaryOp::multiply && is_product(b->left) && is_product(b->right));
}

/// + - * / on floats, and any integers that become floats without rounding being in question.
bool is_bounded_node(const Expr& e) {
  if (!e.type().is_scalar() || e.as<scalar::Select>() || e.as<scalar::Loop>() ||
      e.as<scalar::Call>()) {
    return false;
  }
  if (const auto* c = e.as<scalar::Cast>()) return is_float(e) || !is_float(c->operand);
  const auto* b = e.as<scalar::Binary>();
  if (!b || !is_float(b->left)) return true;
  if (b->op == BinaryOp::divide) return is_product(b->right);
  return b->op == BinaryOp::add || b->op == BinaryOp::subtract || b->op == BinaryOp::multiply;
}

bool is_bounded(const Expr& e) {
  bool all = is_bounded_node(e);
  for_each_child(e, [&](const Expr& child) { all = all && is_bounded(child); });
  return all;
}

bool combines_exactly(const Function& combine, size_t n) {
  const Expr& e = combine.results[n].value;
  const auto* b = e.as<scalar::Binary>();
  if (!b) return false;
  return !is_float(e) || b->op == BinaryOp::minimum || b->op == BinaryOp::maximum;
}

Rule rule_of(const Meaning& meaning, size_t n, bool is_deterministic) {
  const Expr& f = meaning.f.results[n].value;
  const bool combines = !meaning.combine.results.empty();
  const auto op = combines ? built_in_combination(meaning, n) : std::nullopt;
  if (combines && !op) return Rule::enclosed;
  if (is_deterministic && (!combines || combines_exactly(meaning.combine, n))) return Rule::exact;
  const bool sums = !combines || *op == BinaryOp::add || *op == BinaryOp::multiply ||
                    *op == BinaryOp::minimum || *op == BinaryOp::maximum;
  const bool plain = is_plain(meaning.f) && is_float(f) && is_bounded(f);
  return sums && plain ? Rule::bounded : Rule::enclosed;
}

/// Every float is an f64.
Expr widened(const Expr& e) {
  if (!is_float(e)) {
    return map_children(e, widened);
  }
  if (e.as<scalar::Variable>()) {
    return e.type() == Scalar::f64 ? e : scalar::cast(Scalar::f64, e);
  }
  if (const auto* number = e.as<scalar::Literal>()) {
    return scalar::literal(Scalar::f64, number->value);
  }
  if (const auto* c = e.as<scalar::Cast>()) {
    return is_float(c->operand) ? widened(c->operand)
                                : scalar::cast(Scalar::f64, widened(c->operand));
  }
  if (const auto* u = e.as<scalar::Unary>()) return scalar::unary(u->op, widened(u->operand));
  const auto* b = e.as<scalar::Binary>();
  return scalar::binary(b->op, widened(b->left), widened(b->right));
}

Expr absolute(const Expr& e) {
  return scalar::binary(BinaryOp::maximum, e, scalar::unary(scalar::UnaryOp::negate, e));
}

/// Of an f64 expression on variables of any type.
Expr magnitude_of(const Expr& wide) {
  const Function one{"magnitude", {}, {{scalar::local("m"), wide, {}}}, {}};
  return scalar::substitute(scalar::magnitude(one).results.front().value,
                            [](const scalar::Variable&, const Expr& e) {
                              return is_float(e) ? std::optional(absolute(e)) : std::nullopt;
                            });
}

Expr f64(double value) { return scalar::literal(Scalar::f64, scalar::Value::floating(value)); }

/// How the four extra results are combined.
std::vector<BinaryOp> operators_for(BinaryOp op) {
  switch (op) {
    case BinaryOp::minimum:
    case BinaryOp::maximum:
      return {op, BinaryOp::maximum, BinaryOp::maximum, BinaryOp::add};
    case BinaryOp::multiply:
      return {op, op, op, BinaryOp::add};
    default:
      return {BinaryOp::add, BinaryOp::add, BinaryOp::add, BinaryOp::add};
  }
}

}  // namespace

std::vector<Rule> rules_of(const Meaning& meaning, const scalar::Deviations& deviations) {
  const bool deterministic = scalar::is_deterministic(meaning.f, deviations);
  std::vector<Rule> rules;
  for (size_t n = 0; n < meaning.f.results.size(); ++n) {
    rules.push_back(rule_of(meaning, n, deterministic));
  }
  return rules;
}

Measured measured(const Meaning& meaning, const std::vector<Rule>& rules) {
  Measured m{meaning, {}};
  const size_t count = rules.size();
  m.of.resize(count);
  std::vector<BinaryOp> operators;
  for (size_t n = 0; n < count; ++n) {
    if (rules[n] != Rule::bounded) continue;
    const Expr wide = widened(meaning.f.results[n].value);
    const size_t at = m.meaning.f.results.size();
    m.of[n] = {at, at + 1, at + 2, at + 3};
    const Expr zero = scalar::binary(BinaryOp::equal, wide, f64(0));
    for (const Expr& e : {wide, magnitude_of(wide), scalar::binary(BinaryOp::multiply, wide, wide),
                          scalar::select(zero, f64(0), f64(1))}) {
      const Symbol name = scalar::local(fmt::format("extra{}", m.meaning.f.results.size()));
      m.meaning.f.results.push_back({name, e, {}});
    }
    const auto op = built_in_combination(meaning, n);
    for (const BinaryOp o : operators_for(op.value_or(BinaryOp::add))) operators.push_back(o);
  }
  Function& c = m.meaning.combine;
  if (c.results.empty()) return m;
  std::vector<scalar::Parameter> left(c.parameters.begin(), c.parameters.begin() + count);
  std::vector<scalar::Parameter> right(c.parameters.begin() + count, c.parameters.end());
  for (size_t k = 0; k < operators.size(); ++k) {
    left.push_back({scalar::local(fmt::format("left{}", k)), Scalar::f64});
    right.push_back({scalar::local(fmt::format("right{}", k)), Scalar::f64});
    c.results.push_back(
        {scalar::local(fmt::format("both{}", k)),
         scalar::binary(operators[k], scalar::variable(left.back().symbol, Scalar::f64),
                        scalar::variable(right.back().symbol, Scalar::f64)),
         {}});
  }
  c.parameters = left;
  c.parameters.insert(c.parameters.end(), right.begin(), right.end());
  return m;
}

}  // namespace mdh::driver
