#include "mdh/passes/common/conditions.h"

#include "mdh/scalar/apply.h"

namespace mdh::passes {

using loop::Expr;
using scalar::BinaryOp;

namespace {

std::optional<bool> compared(const Expr& e) {
  const auto* b = e.as<scalar::Binary>();
  if (!b || !is_comparison(b->op)) return std::nullopt;
  const auto left = constant(b->left), right = constant(b->right);
  if (!left || !right) return std::nullopt;
  return scalar::apply(b->op, scalar::Scalar::i64, scalar::Value::integer(*left),
                       scalar::Value::integer(*right))
             .as_integer() != 0;
}

}  // namespace

std::vector<Expr> conjuncts(const Expr& condition) {
  const auto* b = condition.as<scalar::Binary>();
  if (!b || b->op != BinaryOp::logical_and) return {condition};
  std::vector<Expr> all = conjuncts(b->left);
  for (const Expr& right : conjuncts(b->right)) all.push_back(right);
  return all;
}

Expr all_of(const std::vector<Expr>& conditions) {
  Expr all = conditions.front();
  for (size_t n = 1; n < conditions.size(); ++n) {
    all = scalar::binary(BinaryOp::logical_and, all, conditions[n]);
  }
  return all;
}

std::optional<bool> decided(const Expr& condition) {
  bool all = true;
  for (const Expr& part : conjuncts(condition)) {
    const auto holds = compared(part);
    if (holds == false) return false;
    all = all && holds;
  }
  return all ? std::optional(true) : std::nullopt;
}

Expr undecided_part(const Expr& condition) {
  std::vector<Expr> left;
  for (const Expr& part : conjuncts(condition)) {
    if (compared(part) != true) left.push_back(part);
  }
  return left.empty() ? condition : all_of(left);
}

}  // namespace mdh::passes
