// Mathematical functions that expressions may call.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mdh/scalar/value.h"

namespace mdh::scalar {

struct MathFunction {
  std::string_view name;  // the same in .mdh and, for f64, in C
  int arguments;
  bool for_integers;  // also defined on integers
  double (*unary)(double);
  double (*binary)(double, double);
};

const MathFunction* find_math(std::string_view name);
std::vector<std::string> math_names();

/// The value on arguments of one type, rounded to it.
Value apply_math(const MathFunction& function, Scalar type, std::span<const Value> arguments);

}  // namespace mdh::scalar
