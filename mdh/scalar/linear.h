// Index expressions as sums: what makes addresses comparable.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

/// constant + Σ coefficient · term. Terms are variables, and all that is no sum, by their text;
/// none has the coefficient 0.
struct Linear {
  int64_t constant = 0;
  std::map<std::string, int64_t> terms;
  friend bool operator==(const Linear&, const Linear&) = default;
};

/// Of an index expression; index arithmetic is assumed not to overflow.
Linear linear(const Expr& e);

/// How an index changes when the variable grows by one; nothing if that is not always the same.
std::optional<int64_t> coefficient(const Expr& e, const Symbol& var);

/// The number by which two index expressions always differ.
std::optional<int64_t> distance(const Expr& from, const Expr& to);

/// The same sum with its constant behind everything else, out of parentheses too:
/// (i + 2) * 8 + k becomes i * 8 + k + 16. Elements that lie a fixed distance apart then have the
/// same address up to a number, which machines add without an instruction.
Expr constant_last(const Expr& e);

/// Can each counter be read off the sum of stride · counter? Strides are positive, and a counter
/// has `count` values from 0.
bool is_mixed_radix(std::vector<std::pair<int64_t, int64_t>> strides_and_counts);

}  // namespace mdh::scalar
