#include "mdh/scalar/rounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mdh::scalar {
namespace {

void split_conditions(const Expr& e, std::vector<Expr>& parts) {
  const auto* both = e.as<Binary>();
  if (both && both->op == BinaryOp::logical_and) {
    split_conditions(both->left, parts);
    split_conditions(both->right, parts);
  } else {
    parts.push_back(e);
  }
}

const Binding* find(const std::vector<Binding>& all, const Symbol& symbol) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Binding& b) { return b.symbol == symbol; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<double> number(const Expr& e) {
  const auto whole = constant(e);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

/// The step of a counter: k = k + 2, k = 1 + k, k = k - 1.
std::optional<double> step_of(const Loop& loop, const Symbol& counter) {
  const Binding* update = find(loop.updates, counter);
  const auto* sum = update ? update->value.as<Binary>() : nullptr;
  const auto is_counter = [&](const Expr& e) {
    const auto* v = e.as<Variable>();
    return v && v->symbol == counter;
  };
  if (sum && sum->op == BinaryOp::add && is_counter(sum->left)) return number(sum->right);
  if (sum && sum->op == BinaryOp::add && is_counter(sum->right)) return number(sum->left);
  if (!sum || sum->op != BinaryOp::subtract || !is_counter(sum->left)) return std::nullopt;
  const auto back = number(sum->right);
  return back ? std::optional(-*back) : std::nullopt;
}

/// The same comparison with its sides in the other order.
BinaryOp mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::less:
      return BinaryOp::greater;
    case BinaryOp::less_equal:
      return BinaryOp::greater_equal;
    case BinaryOp::greater:
      return BinaryOp::less;
    case BinaryOp::greater_equal:
      return BinaryOp::less_equal;
    default:
      return op;
  }
}

/// Steps from where a counter begins until it is no longer on that side of the end.
std::optional<double> rounds_to(BinaryOp op, double way, double step) {
  const bool goes_up = op == BinaryOp::less || op == BinaryOp::less_equal;
  const bool goes_down = op == BinaryOp::greater || op == BinaryOp::greater_equal;
  const bool includes_end = op == BinaryOp::less_equal || op == BinaryOp::greater_equal;
  if (step == 0 || (goes_up && step < 0) || (goes_down && step > 0)) return std::nullopt;
  const double steps = way / step;
  if (op == BinaryOp::not_equal) {
    return steps >= 0 && steps == std::floor(steps) ? std::optional(steps) : std::nullopt;
  }
  if (!goes_up && !goes_down) return std::nullopt;
  return std::max(0.0, includes_end ? std::floor(steps) + 1 : std::ceil(steps));
}

/// Rounds until a comparison such as k < 9 fails.
std::optional<double> rounds_until(const Loop& loop, const Expr& condition) {
  const auto* comparison = condition.as<Binary>();
  if (!comparison) return std::nullopt;
  const bool ends_left = number(comparison->left).has_value();
  const Expr& variable = ends_left ? comparison->right : comparison->left;
  const auto end = number(ends_left ? comparison->left : comparison->right);
  const auto* counter = variable.as<Variable>();
  if (!counter || !end) return std::nullopt;
  const Binding* first = find(loop.initial, counter->symbol);
  const auto begin = first ? number(first->value) : std::nullopt;
  const auto step = step_of(loop, counter->symbol);
  if (!begin || !step) return std::nullopt;
  return rounds_to(ends_left ? mirrored(comparison->op) : comparison->op, *end - *begin, *step);
}

}  // namespace

std::optional<LoopRounds> rounds_of(const Loop& loop) {
  std::vector<Expr> conditions;
  split_conditions(loop.condition, conditions);
  std::optional<double> most;
  for (const Expr& condition : conditions) {
    const auto rounds = rounds_until(loop, condition);
    if (rounds) most = std::min(*rounds, most.value_or(*rounds));
  }
  if (!most) return std::nullopt;
  return LoopRounds{*most, conditions.size() > 1};
}

}  // namespace mdh::scalar
