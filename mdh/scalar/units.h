// Functions on records as functions on their fields.
#pragma once

#include <optional>
#include <vector>

#include "mdh/scalar/function.h"

namespace mdh::scalar {

/// What a parameter consists of, as variables: itself, or the fields of a record, called
/// "parameter.field". An array field is one of them.
std::vector<Expr> unit_variables(const Parameter& parameter);

/// The results of a function, unit by unit, as expressions over the units of its parameters: lets
/// and calls are replaced by what they stand for, records are taken apart. Nothing if there are
/// loops, or if that is too large to be looked at.
std::optional<std::vector<Expr>> unit_expressions(const Function& f);

}  // namespace mdh::scalar
