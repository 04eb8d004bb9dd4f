// Single operations on scalars in C, with the meaning they have in mdh (mdh/scalar/apply.h).
#pragma once

#include <string>
#include <vector>

#include "mdh/backend/c/helpers.h"
#include "mdh/scalar/expr.h"

namespace mdh::backend {

// Operands are words, or texts in parentheses; so are results. Operations that C leaves undefined,
// or that need an operand twice, become calls of helpers.

/// A constant; for OpenCL without a minus that compilers see.
std::string c_constant(Helpers& helpers, scalar::Scalar type, scalar::Value value);

/// `type` is that of the operands.
std::string c_unary(Helpers& helpers, scalar::UnaryOp op, scalar::Scalar type,
                    const std::string& a);
std::string c_binary(Helpers& helpers, scalar::BinaryOp op, scalar::Scalar type,
                     const std::string& a, const std::string& b);
std::string c_cast(Helpers& helpers, scalar::Scalar from, scalar::Scalar to, const std::string& a);

/// A function of the table of mathematics. C computes in double and rounds, as the interpreter
/// does, which is exact for floats in nearly all cases; OpenCL C uses the built-in function of the
/// type, whose error its standard bounds.
std::string c_mathematics(Helpers& helpers, const std::string& name, scalar::Scalar type,
                          const std::vector<std::string>& arguments);

/// Between memory and variables.
std::string c_load(Helpers& helpers, scalar::Scalar type, const std::string& lvalue);
std::string c_stored(Helpers& helpers, scalar::Scalar type, const std::string& value);

/// An index of an array field of `count` elements: the first element stands for all that are not
/// there, which the interpreter reports.
std::string c_inside(Helpers& helpers, const std::string& index, int count);

}  // namespace mdh::backend
