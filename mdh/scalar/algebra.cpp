#include "mdh/scalar/algebra.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "mdh/scalar/array.h"

namespace mdh::scalar {
namespace {

Expr magnitude(const Expr& e) {
  const Expr inner = map_children(e, [](const Expr& child) { return magnitude(child); });
  if (!e.type().is_scalar() || !is_floating(scalar_of(e.type()))) return inner;
  if (const auto* number = inner.as<Literal>()) {
    return literal(inner.type(), Value::floating(std::abs(number->value.as_floating())));
  }
  if (const auto* u = inner.as<Unary>()) return u->operand;
  if (const auto* s = inner.as<Select>()) {
    // The condition does not hold for magnitudes as it does for values: either branch may count.
    return binary(BinaryOp::maximum, s->then, s->otherwise);
  }
  if (const auto* c = inner.as<Cast>(); c && !is_floating(scalar_of(c->operand.type()))) {
    return binary(BinaryOp::maximum, inner, unary(UnaryOp::negate, inner));
  }
  const auto* b = inner.as<Binary>();
  if (b && b->op == BinaryOp::subtract) return binary(BinaryOp::add, b->left, b->right);
  if (b && b->op == BinaryOp::minimum) return binary(BinaryOp::maximum, b->left, b->right);
  return inner;
}

size_t leaves_in(const Function& f) {
  size_t leaves = 0;
  for (const Parameter& p : f.parameters) leaves += static_cast<size_t>(width_of(p.type));
  return leaves;
}

}  // namespace

ScalarAlgebra::ScalarAlgebra(const Function& f, const Function& combine, Precision precision)
    : f_(f, precision),
      combine_(combine, precision),
      arguments_(std::max(leaves_in(f), leaves_in(combine))) {}

void ScalarAlgebra::f(std::span<const Value> inputs, std::span<const int64_t> point,
                      std::span<Value> results) {
  auto end = std::copy(inputs.begin(), inputs.end(), arguments_.begin());
  end = std::transform(point.begin(), point.end(), end, Value::integer);
  count(f_.run({arguments_.begin(), end}, results, scratch_, steps_left()));
}

void ScalarAlgebra::combine(std::span<const Value> left, std::span<const Value> right,
                            std::span<Value> results) {
  auto end = std::copy(left.begin(), left.end(), arguments_.begin());
  end = std::copy(right.begin(), right.end(), end);
  count(combine_.run({arguments_.begin(), end}, results, scratch_, steps_left()));
}

ProvenanceAlgebra::ProvenanceAlgebra(std::vector<int64_t> sizes, int components)
    : sizes_(std::move(sizes)), components_(components) {}

void ProvenanceAlgebra::f(std::span<const Value>, std::span<const int64_t> point,
                          std::span<Value> results) {
  bool inside = true;
  for (size_t d = 0; d < sizes_.size(); ++d) {
    inside = inside && point[d] >= 0 && point[d] < sizes_[d];
  }
  const int64_t number = inside ? address(sizes_, point) : beyond;
  for (int c = 0; c < components_; ++c) results[c] = keep({number});
}

void ProvenanceAlgebra::combine(std::span<const Value> left, std::span<const Value> right,
                                std::span<Value> results) {
  for (int c = 0; c < components_; ++c) {
    const std::vector<int64_t>&a = points(left[c]), &b = points(right[c]);
    std::vector<int64_t> both;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    results[c] = keep(std::move(both));
  }
}

const std::vector<int64_t>& ProvenanceAlgebra::points(Value handle) const {
  internal_check(handle.bits < multisets_.size(), "a value that no f made");
  return multisets_[handle.bits];
}

Value ProvenanceAlgebra::keep(std::vector<int64_t> points) {
  multisets_.push_back(std::move(points));
  return {multisets_.size() - 1};
}

Function magnitude(const Function& f) {
  Function result = f;
  for (Assignment& a : result.results) a.value = magnitude(a.value);
  return result;
}

}  // namespace mdh::scalar
