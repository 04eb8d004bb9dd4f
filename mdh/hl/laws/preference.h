// Conditions that prefer one operand to the other by comparing their keys one after the other.
#pragma once

#include <optional>
#include <vector>

#include "mdh/scalar/expr.h"

namespace mdh::hl {

/// One key of a lexicographic order, as an expression over units of the left operand.
struct PreferenceKey {
  scalar::Expr key;
  bool greater = true;  // the greater one is preferred, or the smaller one
  friend bool operator==(const PreferenceKey&, const PreferenceKey&) = default;
};

/// The units of the two operands, position by position.
struct OperandUnits {
  std::vector<scalar::Expr> left, right;
};

/// The keys, most important one first, if the condition says "the left operand comes first" in a
/// lexicographic order, whatever it says where all keys are equal. However it is written:
/// `l.w > r.w || l.w == r.w && l.id < r.id`, `if l.w == r.w then l.id < r.id else l.w > r.w`,
/// `!(l.w <= r.w)`. Nothing for other conditions, and beyond four keys.
std::optional<std::vector<PreferenceKey>> lexicographic_order(const scalar::Expr& condition,
                                                              const OperandUnits& units);

}  // namespace mdh::hl
