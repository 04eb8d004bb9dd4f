#include "mdh/loop/index_value.h"

#include "mdh/scalar/apply.h"

namespace mdh::loop {

int64_t index_value(const scalar::Expr& e, const IndexValues& values) {
  const auto value = [&](const scalar::Expr& child) { return index_value(child, values); };
  if (const auto* number = e.as<scalar::Literal>()) return number->value.as_integer();
  if (const auto* v = e.as<scalar::Variable>()) {
    const auto found = values.find(v->symbol.name);
    internal_check(found != values.end(), "index '{}' has no value", v->symbol.name);
    return found->second;
  }
  if (const auto* s = e.as<scalar::Select>()) {
    return value(value(s->condition) != 0 ? s->then : s->otherwise);
  }
  const auto* b = e.as<scalar::Binary>();
  internal_check(b != nullptr, "not an index expression");
  const scalar::Scalar type = scalar_of(b->left.type());
  const auto right = scalar::Value::integer(value(b->right));
  scalar::check_divisor(b->op, type, right);
  return scalar::apply(b->op, type, scalar::Value::integer(value(b->left)), right).as_integer();
}

bool has_index_value(const scalar::Expr& e, const IndexValues& values) {
  const auto has_value = [&](const scalar::Expr& child) { return has_index_value(child, values); };
  if (e.as<scalar::Literal>()) return true;
  if (const auto* v = e.as<scalar::Variable>()) return values.contains(v->symbol.name);
  if (const auto* s = e.as<scalar::Select>()) {
    return has_value(s->condition) && has_value(s->then) && has_value(s->otherwise);
  }
  const auto* b = e.as<scalar::Binary>();
  return b != nullptr && has_value(b->left) && has_value(b->right);
}

}  // namespace mdh::loop
