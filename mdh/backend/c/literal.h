// Numbers in C.
#pragma once

#include <string>

#include "mdh/scalar/value.h"

namespace mdh::backend {

/// A literal of the type that values have in variables; in parentheses if it is negative.
std::string c_literal(scalar::Scalar type, scalar::Value value);

}  // namespace mdh::backend
