// The built-in binary operators ⊕ that reductions combine with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

/// A row of the table of built-in operators. All of them are associative and commutative (floats:
/// up to rounding), which is what lets a configuration choose the order of combination.
struct Combiner {
  std::string_view name;
  BinaryOp op;
};

const Combiner* find_combiner(std::string_view name);
std::vector<std::string> combiner_names();

}  // namespace mdh::scalar
