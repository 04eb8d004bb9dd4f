// Variables that an expression takes from its surroundings.
#pragma once

#include <utility>
#include <vector>

#include "mdh/scalar/expr.h"

namespace mdh::scalar {

using Variables = std::vector<std::pair<Symbol, Type>>;

/// Variables that an expression mentions and does not define itself, each once.
Variables free_variables(const Expr& e);

/// What a loop takes from its surroundings, initial values apart.
Variables captured(const Loop& l);

/// Has a loop in it, functions that it calls apart.
bool has_loop(const Expr& e);

/// Has a loop in it, or a function that it calls has one.
bool has_loop(const Function& f);

}  // namespace mdh::scalar
