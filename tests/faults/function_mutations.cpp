#include "tests/faults/function_mutations.h"

#include <cmath>
#include <map>

#include "mdh/scalar/mathematics.h"
#include "tests/faults/places.h"

namespace mdh::test {
namespace {

using scalar::binary;
using scalar::BinaryOp;
using scalar::Expr;
using scalar::Function;
using Result = std::optional<loop::Program>;

/// What a node becomes; nothing if it stays.
using Change = std::function<std::optional<Expr>(const Expr&)>;

bool is_float(const Expr& e) { return e.type().is_scalar() && is_floating(scalar_of(e.type())); }

/// Changes the n-th node that can be changed, counted from the inside, in locals and results.
class Changer {
 public:
  Changer(const Change& change, uint64_t number) : change_(change), left_(number) {}

  Expr operator()(const Expr& e) {
    const Expr inner = scalar::map_children(e, [&](const Expr& child) { return (*this)(child); });
    const auto other = change_(inner);
    if (!other) return inner;
    ++places;
    return left_-- == 0 ? *other : inner;
  }

  Function operator()(Function f) {
    for (auto* assignments : {&f.locals, &f.results}) {
      for (scalar::Assignment& a : *assignments) a.value = (*this)(a.value);
    }
    return f;
  }

  uint64_t places = 0;

 private:
  const Change& change_;
  uint64_t left_;
};

std::optional<Function> changed(const Function& f, uint64_t place, const Change& change) {
  Changer counts(change, ~uint64_t{0});
  counts(f);
  if (counts.places == 0) return std::nullopt;
  return Changer(change, place % counts.places)(f);
}

Result with_f(const loop::Program& p, const Mutation& m, const Change& change) {
  const auto f = changed(p.f, m.place, change);
  if (!f) return std::nullopt;
  loop::Program result = p;
  result.f = *f;
  return result;
}

Result with_combine(const loop::Program& p, const Mutation& m, const Change& change) {
  const auto combine = changed(p.combine, m.place, change);
  if (!combine) return std::nullopt;
  loop::Program result = p;
  result.combine = *combine;
  return result;
}

// ---- nodes

Expr number(const Expr& like, double value) {
  const scalar::Scalar type = scalar_of(like.type());
  return scalar::literal(like.type(), scalar::from_floating(type, value));
}

/// By a thousandth, or by as much as a type of few digits can tell.
std::optional<Expr> other_constant(const Expr& e) {
  const auto* literal = e.as<scalar::Literal>();
  if (!literal || !is_float(e) || literal->value.as_floating() == 0) return std::nullopt;
  const double change = std::max(1e-3, 16 * epsilon_of(scalar_of(e.type())));
  return number(e, literal->value.as_floating() * (1 + change));
}

const scalar::Call* mathematics(const Expr& e) {
  const auto* call = e.as<scalar::Call>();
  return call && is_float(e) && scalar::find_math(call->name) ? call : nullptr;
}

std::optional<Expr> other_function(const Expr& e) {
  static const std::map<std::string, std::string> others = {
      {"exp", "exp2"}, {"exp2", "exp"},   {"sin", "cos"}, {"cos", "sin"},  {"log", "log2"},
      {"log2", "log"}, {"log10", "log"},  {"tan", "sin"}, {"tanh", "sin"}, {"floor", "ceil"},
      {"sqrt", ""},    {"ceil", "floor"}, {"abs", ""}};
  const auto* call = mathematics(e);
  const auto found = call ? others.find(call->name) : others.end();
  if (found == others.end()) return std::nullopt;
  if (found->second.empty()) return call->arguments.front();
  return scalar::call({found->second, call->arguments, nullptr}, e.type());
}

Expr product(const Expr& a, const Expr& b) { return binary(BinaryOp::multiply, a, b); }
Expr sum(const Expr& a, const Expr& b) { return binary(BinaryOp::add, a, b); }

/// The first terms of the series.
std::optional<Expr> truncated(const Expr& e) {
  const auto* call = mathematics(e);
  if (!call) return std::nullopt;
  const Expr x = call->arguments.front();
  const Expr square = product(x, x);
  if (call->name == "sin") return sum(x, product(number(e, -1.0 / 6), product(square, x)));
  if (call->name == "cos") return sum(number(e, 1), product(number(e, -0.5), square));
  if (call->name == "exp") return sum(number(e, 1), sum(x, product(number(e, 0.5), square)));
  if (call->name == "tanh") return sum(x, product(number(e, -1.0 / 3), product(square, x)));
  if (call->name == "log") return sum(x, number(e, -1));
  if (call->name == "sqrt") return product(number(e, 0.5), sum(x, number(e, 1)));
  return std::nullopt;
}

std::optional<BinaryOp> other_operator(BinaryOp op) {
  static const std::map<BinaryOp, BinaryOp> others = {
      {BinaryOp::add, BinaryOp::subtract},       {BinaryOp::subtract, BinaryOp::add},
      {BinaryOp::multiply, BinaryOp::add},       {BinaryOp::divide, BinaryOp::multiply},
      {BinaryOp::minimum, BinaryOp::maximum},    {BinaryOp::maximum, BinaryOp::minimum},
      {BinaryOp::less, BinaryOp::greater},       {BinaryOp::greater, BinaryOp::less},
      {BinaryOp::less_equal, BinaryOp::greater}, {BinaryOp::greater_equal, BinaryOp::less}};
  const auto found = others.find(op);
  if (found == others.end()) return std::nullopt;
  return found->second;
}

std::optional<Expr> with_other_operator(const Expr& e) {
  const auto* b = e.as<scalar::Binary>();
  if (!b || !is_float(b->left)) return std::nullopt;
  const auto other = other_operator(b->op);
  if (!other) return std::nullopt;
  return binary(*other, b->left, b->right);
}

std::optional<Expr> with_one_operand(const Expr& e) {
  const auto* b = e.as<scalar::Binary>();
  if (!b || !is_float(e) || !is_float(b->left) || b->left == b->right) return std::nullopt;
  return binary(b->op, b->left, b->left);
}

/// Computed with fewer digits than the type has.
std::optional<Expr> rounded(const Expr& e) {
  const auto* b = e.as<scalar::Binary>();
  if (!b || !is_float(e)) return std::nullopt;
  const scalar::Scalar type = scalar_of(e.type());
  if (type != scalar::Scalar::f64 && type != scalar::Scalar::f32) return std::nullopt;
  const auto fewer = type == scalar::Scalar::f64 ? scalar::Scalar::f32 : scalar::Scalar::f16;
  return scalar::cast(type, scalar::cast(fewer, e));
}

// ---- rows

template <std::optional<Expr> (*change)(const Expr&)>
Result of_f(const loop::Program& p, const Mutation& m) {
  return with_f(p, m, change);
}

template <std::optional<Expr> (*change)(const Expr&)>
Result of_combine(const loop::Program& p, const Mutation& m) {
  return with_combine(p, m, change);
}

/// Sums hide the digits that a term has lost among those that they lose themselves.
Result precision_lost(const loop::Program& p, const Mutation& m) {
  for (const Site& site : sites_of(p)) {
    if (site.stmt.as<loop::Combine>()) return std::nullopt;
  }
  return with_f(p, m, rounded);
}

}  // namespace

const std::vector<FunctionMutation>& function_mutations() {
  static const std::vector<FunctionMutation> table = {
      {"constant_changed", of_f<other_constant>},
      {"function_replaced", of_f<other_function>},
      {"function_truncated", of_f<truncated>},
      {"operator_replaced", of_f<with_other_operator>},
      {"operand_replaced", of_f<with_one_operand>},
      {"precision_lost", precision_lost},
      {"combine_replaced", of_combine<with_other_operator>},
      {"combine_constant_changed", of_combine<other_constant>},
      {"combine_operand_replaced", of_combine<with_one_operand>},
  };
  return table;
}

}  // namespace mdh::test
