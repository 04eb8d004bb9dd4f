#include "mdh/hl/laws/preference.h"

#include <algorithm>
#include <numeric>

#include "mdh/scalar/free.h"

namespace mdh::hl {
namespace {

using scalar::Binary;
using scalar::BinaryOp;
using scalar::Expr;

/// How the values of a key compare, shown by numbers that compare alike.
struct KeyState {
  int left, right;
};
using KeyStates = std::vector<KeyState>;  // of all keys

bool is_truth(const Expr& e) { return e.type() == scalar::Type(scalar::Scalar::boolean); }

/// A condition as a function of how its keys compare. Only that matters for an order, so all cases
/// can be looked at, instead of all ways to write them.
class ComparedKeys {
 public:
  explicit ComparedKeys(const OperandUnits& units) : units_(units) {}

  std::vector<Expr> keys;  // over units of the left operand

  /// False if the condition consists of anything else than comparisons of keys.
  bool collect(const Expr& e) {
    if (e.as<scalar::Literal>()) return true;
    if (const auto* u = e.as<scalar::Unary>(); u && u->op == scalar::UnaryOp::logical_not) {
      return collect(u->operand);
    }
    if (const auto* s = e.as<scalar::Select>()) {
      return collect(s->condition) && collect(s->then) && collect(s->otherwise);
    }
    if (find(e)) return true;
    const auto* b = e.as<Binary>();
    if (b && scalar::is_comparison(b->op) && add_key(b->left, b->right)) return true;
    if (b && is_truth(b->left)) return collect(b->left) && collect(b->right);
    if (!is_truth(e)) return false;
    if (is_of(e, units_.left)) return add(e);
    return is_of(e, units_.right) && add(mirrored(e));
  }

  bool holds(const Expr& e, const KeyStates& states) const {
    if (const auto* number = e.as<scalar::Literal>()) return number->value.bits != 0;
    if (const auto found = find(e)) {
      const KeyState& state = states[found->key];
      return (found->of_left ? state.left : state.right) != 0;
    }
    if (const auto* u = e.as<scalar::Unary>()) return !holds(u->operand, states);
    if (const auto* s = e.as<scalar::Select>()) {
      return holds(s->condition, states) ? holds(s->then, states) : holds(s->otherwise, states);
    }
    const auto* b = e.as<Binary>();
    const auto left = find(b->left), right = find(b->right);
    if (left && right && left->key == right->key && scalar::is_comparison(b->op)) {
      const KeyState& state = states[left->key];
      return compared(b->op, left->of_left ? state.left : state.right,
                      right->of_left ? state.left : state.right);
    }
    return compared(b->op, holds(b->left, states) ? 1 : 0, holds(b->right, states) ? 1 : 0);
  }

  /// All ways in which the keys may compare.
  std::vector<KeyStates> all_states() const {
    std::vector<KeyStates> all = {{}};
    for (const Expr& key : keys) {
      std::vector<KeyState> ways = {{0, 1}, {0, 0}, {1, 0}};
      if (is_truth(key)) ways.push_back({1, 1});
      std::vector<KeyStates> longer;
      for (const KeyStates& states : all) {
        for (const KeyState& way : ways) {
          longer.push_back(states);
          longer.back().push_back(way);
        }
      }
      all = std::move(longer);
    }
    return all;
  }

 private:
  struct Found {
    size_t key;
    bool of_left;
  };

  static bool compared(BinaryOp op, int a, int b) {
    switch (op) {
      case BinaryOp::equal:
        return a == b;
      case BinaryOp::not_equal:
      case BinaryOp::bit_xor:
        return a != b;
      case BinaryOp::less:
        return a < b;
      case BinaryOp::less_equal:
        return a <= b;
      case BinaryOp::greater:
        return a > b;
      case BinaryOp::greater_equal:
        return a >= b;
      case BinaryOp::logical_and:
      case BinaryOp::bit_and:
        return a != 0 && b != 0;
      default:
        return a != 0 || b != 0;
    }
  }

  std::optional<Found> find(const Expr& e) const {
    for (size_t n = 0; n < keys.size(); ++n) {
      if (keys[n] == e) return Found{n, true};
      if (mirrored(keys[n]) == e) return Found{n, false};
    }
    return std::nullopt;
  }

  bool add(const Expr& key) {
    if (!find(key)) keys.push_back(key);
    return true;
  }

  bool add_key(const Expr& a, const Expr& b) {
    if (mirrored(a) != b) return false;
    if (is_of(a, units_.left)) return add(a);
    return is_of(a, units_.right) && add(b);
  }

  /// It depends on units of this operand, and of no other.
  static bool is_of(const Expr& e, const std::vector<Expr>& side) {
    const scalar::Variables all = scalar::free_variables(e);
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const auto& variable) {
      return std::any_of(side.begin(), side.end(), [&](const Expr& unit) {
        return unit.as<scalar::Variable>()->symbol == variable.first;
      });
    });
  }

  /// The same of the other operand.
  Expr mirrored(const Expr& e) const {
    return scalar::substitute(e,
                              [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
                                for (size_t n = 0; n < units_.left.size(); ++n) {
                                  if (units_.left[n].as<scalar::Variable>()->symbol == v.symbol)
                                    return units_.right[n];
                                  if (units_.right[n].as<scalar::Variable>()->symbol == v.symbol)
                                    return units_.left[n];
                                }
                                return std::nullopt;
                              });
  }

  const OperandUnits& units_;
};

/// Whether the left one comes first; nothing if all keys are equal.
std::optional<bool> left_first(const KeyStates& states, const std::vector<size_t>& order,
                               unsigned greater) {
  for (const size_t key : order) {
    const KeyState& state = states[key];
    if (state.left == state.right) continue;
    return (state.left > state.right) == ((greater >> key & 1u) != 0);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<PreferenceKey>> lexicographic_order(const Expr& condition,
                                                              const OperandUnits& units) {
  constexpr size_t most_keys = 4;
  ComparedKeys compared(units);
  if (!compared.collect(condition) || compared.keys.empty()) return std::nullopt;
  const size_t count = compared.keys.size();
  if (count > most_keys) return std::nullopt;
  const std::vector<KeyStates> all = compared.all_states();
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    for (unsigned greater = 0; greater < 1u << count; ++greater) {
      const bool fits = std::all_of(all.begin(), all.end(), [&](const KeyStates& states) {
        const std::optional<bool> left = left_first(states, order, greater);
        return !left || *left == compared.holds(condition, states);
      });
      if (!fits) continue;
      std::vector<PreferenceKey> keys;
      for (const size_t key : order) {
        keys.push_back({compared.keys[key], (greater >> key & 1u) != 0});
      }
      return keys;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

}  // namespace mdh::hl
