#include "mdh/scalar/mathematics.h"

#include <array>
#include <cmath>

namespace mdh::scalar {
namespace {

constexpr std::array<MathFunction, 15> functions = {{
    {"abs", 1, true, std::fabs, nullptr},
    {"sqrt", 1, false, std::sqrt, nullptr},
    {"exp", 1, false, std::exp, nullptr},
    {"exp2", 1, false, std::exp2, nullptr},
    {"log", 1, false, std::log, nullptr},
    {"log2", 1, false, std::log2, nullptr},
    {"log10", 1, false, std::log10, nullptr},
    {"sin", 1, false, std::sin, nullptr},
    {"cos", 1, false, std::cos, nullptr},
    {"tan", 1, false, std::tan, nullptr},
    {"tanh", 1, false, std::tanh, nullptr},
    {"floor", 1, false, std::floor, nullptr},
    {"ceil", 1, false, std::ceil, nullptr},
    {"pow", 2, false, nullptr, std::pow},
    {"atan2", 2, false, nullptr, std::atan2},
}};

}  // namespace

const MathFunction* find_math(std::string_view name) {
  for (const MathFunction& row : functions) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::vector<std::string> math_names() {
  std::vector<std::string> names;
  for (const MathFunction& row : functions) names.emplace_back(row.name);
  return names;
}

Value apply_math(const MathFunction& function, Scalar type, std::span<const Value> arguments) {
  if (!is_floating(type)) {
    // abs is the only one; the least number stays, as everywhere in wrap-around arithmetic.
    const bool negative = is_signed(type) && arguments[0].as_integer() < 0;
    return negative ? from_integer(type, Value{0 - arguments[0].bits}.as_integer()) : arguments[0];
  }
  const double x = arguments[0].as_floating();
  return from_floating(
      type, function.unary ? function.unary(x) : function.binary(x, arguments[1].as_floating()));
}

}  // namespace mdh::scalar
