#include "mdh/hl/laws/operator_forms.h"

#include <algorithm>
#include <cmath>

#include "mdh/hl/analysis.h"
#include "mdh/hl/laws/preference.h"
#include "mdh/scalar/free.h"
#include "mdh/scalar/units.h"

namespace mdh::hl {
namespace {

using scalar::Binary;
using scalar::BinaryOp;

/// These are associative and commutative on two values of one type; == and != on truth values only.
bool is_lawful_operation(BinaryOp op, const Type& type) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::multiply:
    case BinaryOp::minimum:
    case BinaryOp::maximum:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
    case BinaryOp::bit_and:
    case BinaryOp::logical_or:
    case BinaryOp::logical_and:
      return true;
    case BinaryOp::equal:
    case BinaryOp::not_equal:
      return type == Type(scalar::Scalar::boolean);
    default:
      return false;
  }
}

/// Values that are exactly what the index is: it fits the type.
bool keeps_every_index(scalar::Scalar type, int64_t least, int64_t greatest) {
  if (is_floating(type)) {
    const double most = 2 / scalar::epsilon_of(type);
    return static_cast<double>(greatest) <= most && static_cast<double>(least) >= -most;
  }
  const auto kept = [&](int64_t i) { return scalar::from_integer(type, i).as_integer() == i; };
  return kept(least) && kept(greatest) && (is_signed(type) || least >= 0);
}

/// No two points of one reduction have the same value: an index, or affine in all of them without
/// overlaps.
bool differs_everywhere(const Program& p, Expr value) {
  std::vector<scalar::Scalar> types;
  while (const auto* c = value.as<scalar::Cast>()) {
    types.push_back(scalar_of(value.type()));
    value = c->operand;
  }
  const std::optional<Affine> index = find_affine(p, value);
  if (!index) return false;
  const std::vector<int64_t> counts = sizes(p);
  std::vector<std::pair<int64_t, int64_t>> terms;
  for (size_t d = 0; d < counts.size(); ++d) {
    if (p.dimensions[d].combine.shape == Shape::concatenate || counts[d] == 1) continue;
    terms.emplace_back(std::abs(index->coefficients[d]), counts[d]);
  }
  std::sort(terms.begin(), terms.end());
  int64_t reach = 0;  // of the terms so far
  for (const auto& [coefficient, count] : terms) {
    if (coefficient <= reach) return false;
    int64_t more = 0;
    if (__builtin_mul_overflow(coefficient, count - 1, &more)) return false;
    if (__builtin_add_overflow(reach, more, &reach)) return false;
  }
  const int64_t least = index->least(counts), greatest = index->greatest(counts);
  return std::all_of(types.begin(), types.end(),
                     [&](scalar::Scalar type) { return keeps_every_index(type, least, greatest); });
}

/// What a field of the result is made of.
struct UnitForm {
  bool by_itself = false;            // an operation on this field of both operands
  std::vector<PreferenceKey> order;  // chosen by it, if not empty
};

class FormChecker {
 public:
  FormChecker(const Program& p, const scalar::Function& combine) : program_(p), combine_(combine) {
    const auto& parameters = combine.parameters;
    for (size_t n = 0; n < parameters.size(); ++n) {
      auto& side = n < parameters.size() / 2 ? units_.left : units_.right;
      for (const Expr& unit : scalar::unit_variables(parameters[n])) side.push_back(unit);
    }
  }

  bool holds() {
    const auto results = scalar::unit_expressions(combine_);
    if (!results || results->size() != units_.left.size()) return false;
    for (size_t n = 0; n < results->size(); ++n) {
      const std::optional<UnitForm> form = form_of((*results)[n], n);
      if (!form) return false;
      forms_.push_back(*form);
    }
    for (const UnitForm& form : forms_) {
      if (!form.by_itself && !is_settled(form.order)) return false;
    }
    return true;
  }

 private:
  bool is_both(const Expr& a, const Expr& b, size_t n) const {
    return (a == units_.left[n] && b == units_.right[n]) ||
           (a == units_.right[n] && b == units_.left[n]);
  }

  std::optional<UnitForm> form_of(const Expr& e, size_t n) const {
    if (e.as<scalar::Literal>()) return UnitForm{true, {}};
    if (const auto* b = e.as<Binary>()) {
      if (!is_both(b->left, b->right, n) || !is_lawful_operation(b->op, b->left.type())) {
        return std::nullopt;
      }
      UnitForm form{true, {}};
      if (b->op == BinaryOp::minimum) form.order = {{units_.left[n], false}};
      if (b->op == BinaryOp::maximum) form.order = {{units_.left[n], true}};
      return form;
    }
    const auto* s = e.as<scalar::Select>();
    if (!s || !is_both(s->then, s->otherwise, n)) return std::nullopt;
    const Expr left_wins = s->then == units_.left[n]
                               ? s->condition
                               : scalar::unary(scalar::UnaryOp::logical_not, s->condition);
    const auto order = lexicographic_order(left_wins, units_);
    if (!order) return std::nullopt;
    return UnitForm{false, *order};
  }

  /// The position of a key that is a unit, not computed from some.
  std::optional<size_t> unit_of(const Expr& key) const {
    const auto found = std::find(units_.left.begin(), units_.left.end(), key);
    if (found == units_.left.end()) return std::nullopt;
    return static_cast<size_t>(found - units_.left.begin());
  }

  /// Fields that are chosen together are those of one operand, so the keys of the result are keys
  /// of that operand; and equal keys leave no choice.
  bool is_settled(const std::vector<PreferenceKey>& order) const {
    for (const PreferenceKey& key : order) {
      for (const auto& [symbol, type] : scalar::free_variables(key.key)) {
        if (!follows(symbol, order)) return false;
      }
    }
    bool all_are_keys = true;
    for (size_t n = 0; n < forms_.size(); ++n) {
      if (forms_[n].order == order) all_are_keys = all_are_keys && is_key(n, order);
    }
    return all_are_keys || has_distinct_key(order);
  }

  bool is_key(size_t unit, const std::vector<PreferenceKey>& order) const {
    return std::any_of(order.begin(), order.end(),
                       [&](const PreferenceKey& key) { return key.key == units_.left[unit]; });
  }

  /// The unit is chosen by this order, or by its first keys, of which it is one.
  bool follows(const Symbol& unit, const std::vector<PreferenceKey>& order) const {
    for (size_t n = 0; n < forms_.size(); ++n) {
      if (units_.left[n].as<scalar::Variable>()->symbol != unit) continue;
      const std::vector<PreferenceKey>& own = forms_[n].order;
      if (own == order) return true;
      return !own.empty() && own.size() <= order.size() && is_key(n, own) &&
             std::equal(own.begin(), own.end(), order.begin());
    }
    return false;
  }

  bool has_distinct_key(const std::vector<PreferenceKey>& order) const {
    const auto values = scalar::unit_expressions(scalar_function(program_));
    return values && std::any_of(order.begin(), order.end(), [&](const PreferenceKey& key) {
             const std::optional<size_t> unit = unit_of(key.key);
             return unit && differs_everywhere(program_, (*values)[*unit]);
           });
  }

  const Program& program_;
  const scalar::Function& combine_;
  OperandUnits units_;
  std::vector<UnitForm> forms_;
};

}  // namespace

bool is_lawful_by_form(const Program& p, const CombineOperator& op) {
  const scalar::Function combine = combine_function(p, op);
  return FormChecker(p, combine).holds();
}

}  // namespace mdh::hl
