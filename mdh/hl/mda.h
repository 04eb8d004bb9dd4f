// Multi-dimensional arrays (MDAs): total functions on a product of finite index sets.
//
// The sets need not be contiguous: a part of an MDA keeps the indices it had in the whole, and
// operators find values by index, never by position or arrival. This is what makes concatenation
// commutative, and what the formal definitions and the low-level evaluator are written in.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "mdh/scalar/algebra.h"

namespace mdh::hl {

using scalar::Value;

struct Mda {
  std::vector<std::vector<int64_t>> sets;  // I_1 .. I_D, each sorted
  int components = 1;                      // values per point
  std::vector<Value> cells;                // row-major over the sets, components innermost

  bool empty() const;
  friend bool operator==(const Mda&, const Mda&) = default;
};

/// An MDA whose points are visited in row-major order: `fill` gets the point and its cells.
Mda make_mda(std::vector<std::vector<int64_t>> sets, int components,
             const std::function<void(std::span<const int64_t>, std::span<Value>)>& fill);

/// cells of a point that must exist.
std::span<const Value> cells_at(const Mda& a, std::span<const int64_t> point);

/// The part with only these indices in dimension d.
Mda restricted(const Mda& a, int d, const std::vector<int64_t>& subset);

/// Inverse concatenation: a|P and a|Q for disjoint P, Q that cover dimension d.
std::pair<Mda, Mda> split(const Mda& a, int d, const std::vector<int64_t>& first,
                          const std::vector<int64_t>& second);

/// cc: both, side by side in dimension d. The sets of d are disjoint, all others equal.
Mda concatenated(const Mda& left, const Mda& right, int d);

/// ps(⊕): both, side by side, each element combined with the other side's element at the greatest
/// index that is not above its own; where there is none it stays as it is.
Mda scanned(const Mda& left, const Mda& right, int d, scalar::Algebra& algebra);

/// The greatest element of a sorted set that is not above i, or nothing.
std::optional<int64_t> predecessor(const std::vector<int64_t>& set, int64_t i);

/// pw(⊕): point by point. All sets are equal; in dimension d they are {0}.
Mda combined(const Mda& left, const Mda& right, scalar::Algebra& algebra);

}  // namespace mdh::hl
