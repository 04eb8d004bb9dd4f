// Index arithmetic: of the loop evaluator, and of whoever asks for single places.
#pragma once

#include <map>
#include <string>

#include "mdh/scalar/expr.h"

namespace mdh::loop {

using IndexValues = std::map<std::string, int64_t>;

/// Literals, variables, choices and binary operations on 64-bit integers.
int64_t index_value(const scalar::Expr& e, const IndexValues& values);

/// It is such an expression, and all of its variables have a value.
bool has_index_value(const scalar::Expr& e, const IndexValues& values);

}  // namespace mdh::loop
