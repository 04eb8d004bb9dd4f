#include "mdh/scalar/tape/rounding_tape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "mdh/scalar/apply.h"
#include "mdh/scalar/tape/tape_compiler.h"

namespace mdh::scalar {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double least_double = std::numeric_limits<double>::denorm_min();

/// Below it products and quotients of doubles lose digits that their remainders do not show.
constexpr double small_double = 1e-290;

struct Operand {
  double value;
  double error;
};

/// What a + b and its rounding to a narrower type leave out (Knuth's TwoSum).
double rounding_of_sum(double a, double b, double result) {
  const double sum = a + b, rest = sum - a;
  return std::abs(sum - result) + std::abs((a - (sum - rest)) + (b - rest));
}

double rounding_of_product(double a, double b, double result) {
  const double product = a * b;
  const bool is_small = std::abs(product) < small_double && a != 0 && b != 0;
  return std::abs(product - result) + std::abs(std::fma(a, b, -product)) +
         (is_small ? least_double : 0);
}

double rounding_of_quotient(double a, double b, double result) {
  const double quotient = a / b;
  const bool is_small = std::abs(quotient) < small_double && a != 0;
  return std::abs(quotient - result) + std::abs(std::fma(-quotient, b, a) / b) +
         (is_small ? least_double : 0);
}

/// An error that is 0 stays 0, also next to an infinity.
double scaled(double factor, double error) { return error == 0 ? 0 : std::abs(factor) * error; }

double error_of_quotient(const Operand& a, const Operand& b, double result) {
  if (std::abs(b.value) <= b.error) return unknown;  // the divisor may be 0
  const double passed_on = (a.error + scaled(result, b.error)) / (std::abs(b.value) - b.error);
  return passed_on + rounding_of_quotient(a.value, b.value, result);
}

double error_of_floats(BinaryOp op, const Operand& a, const Operand& b, double result) {
  if (op == BinaryOp::minimum || op == BinaryOp::maximum) return std::max(a.error, b.error);
  if (!std::isfinite(result)) return unknown;
  switch (op) {
    case BinaryOp::add:
      return a.error + b.error + rounding_of_sum(a.value, b.value, result);
    case BinaryOp::subtract:
      return a.error + b.error + rounding_of_sum(a.value, -b.value, result);
    case BinaryOp::multiply:
      return scaled(a.value, b.error) + scaled(b.value, a.error) + scaled(a.error, b.error) +
             rounding_of_product(a.value, b.value, result);
    case BinaryOp::divide:
      return error_of_quotient(a, b, result);
    default:
      return 0;
  }
}

/// Two numbers compare as they would without rounding.
bool is_decided(const Operand& a, const Operand& b) {
  const double together = a.error + b.error;
  return together == 0 || std::abs(a.value - b.value) > together;
}

/// Functions whose value has all digits that it needs.
bool is_exact(const MathFunction& function) {
  return function.name == "abs" || function.name == "floor" || function.name == "ceil";
}

/// How much the value changes where the arguments move by their errors: functions are as good as
/// straight there, so the ends show it; twice that, because they are not quite.
double error_of_math(const TapeStep& s, std::span<const Operand> arguments, double result) {
  if (!std::isfinite(result)) return unknown;
  double spread = 0;
  for (const double one : {-1.0, 1.0}) {
    for (const double two : {-1.0, 1.0}) {
      const std::array<Value, 2> moved = {
          Value::floating(arguments[0].value + one * arguments[0].error),
          Value::floating(arguments[1].value + two * arguments[1].error)};
      const double there =
          apply_math(*s.math, Scalar::f64, {moved.data(), static_cast<size_t>(s.c)}).as_floating();
      const double distance = std::abs(there - result);
      if (!std::isfinite(distance)) return unknown;
      spread = std::max(spread, distance);
    }
  }
  const bool moves = arguments[0].error > 0 || arguments[1].error > 0;
  const double own = is_exact(*s.math) ? 0 : 4 * epsilon_of(s.type) * std::abs(result);
  return (moves ? 2 * spread : 0) + own;
}

/// Nothing if the integer that comes out depends on rounding.
std::optional<double> error_of_cast(const TapeStep& s, Value from, double error, Value result) {
  if (is_floating(s.target)) {
    if (!std::isfinite(result.as_floating())) return unknown;
    const long double exact = is_floating(s.type) ? from.as_floating()
                              : is_signed(s.type) ? static_cast<long double>(from.as_integer())
                                                  : static_cast<long double>(from.bits);
    return error + static_cast<double>(std::abs(exact - result.as_floating()));
  }
  if (error == 0) return 0;
  const double value = from.as_floating();
  const bool same =
      from_floating(s.target, value - error) == from_floating(s.target, value + error);
  return same && error < unknown ? std::optional<double>(0) : std::nullopt;
}

/// The error of what a step computes; nothing if rounding decides it.
std::optional<double> error_of(const TapeStep& s, const Value* values, const double* errors,
                               Value result) {
  using Opcode = TapeStep::Opcode;
  const auto operand = [&](int slot) { return Operand{values[slot].as_floating(), errors[slot]}; };
  switch (s.opcode) {
    case Opcode::copy:
      return errors[s.a];
    case Opcode::element:
      return errors[s.a + values[s.b].as_integer()];
    case Opcode::unary:
      return s.unary == UnaryOp::negate ? errors[s.a] : 0;
    case Opcode::cast:
      return error_of_cast(s, values[s.a], errors[s.a], result);
    case Opcode::binary:
      if (!is_floating(s.type)) return 0;
      if (is_comparison(s.binary)) {
        return is_decided(operand(s.a), operand(s.b)) ? std::optional<double>(0) : std::nullopt;
      }
      return error_of_floats(s.binary, operand(s.a), operand(s.b), result.as_floating());
    case Opcode::mathematics: {
      if (!is_floating(s.type)) return 0;
      const std::array<Operand, 2> arguments = {operand(s.a), operand(s.b)};
      return error_of_math(s, arguments, result.as_floating());
    }
    default:
      return 0;
  }
}

}  // namespace

RoundingTape::RoundingTape(const Function& f) {
  TapeCompiler compiler(Precision::declared);
  const TapeCompiler::Environment parameters = compiler.parameters(f);
  results_ = compiler.function(f, parameters);
  values_.resize(static_cast<size_t>(compiler.slots()));
  errors_.resize(values_.size());
  steps_ = compiler.take_steps();
}

RoundingTape::Outcome RoundingTape::run(std::span<const RoundedValue> arguments,
                                        std::span<RoundedValue> results, int64_t most) {
  for (size_t n = 0; n < arguments.size(); ++n) {
    values_[n] = arguments[n].value;
    errors_[n] = arguments[n].error;
  }
  Outcome outcome;
  for (size_t n = 0; n < steps_.size(); ++outcome.steps) {
    const TapeStep& step = steps_[n++];
    if (step.opcode >= TapeStep::Opcode::jump) {
      const bool jumps = step.opcode == TapeStep::Opcode::jump || values_[step.a].bits == 0;
      if (jumps) n = static_cast<size_t>(step.c);
      if (jumps && outcome.steps > most) return {false, outcome.steps};
      continue;
    }
    const Value value = execute(step, values_.data());
    const std::optional<double> error = error_of(step, values_.data(), errors_.data(), value);
    if (!error) return {false, outcome.steps};
    values_[step.to] = value;
    errors_[step.to] = std::isnan(*error) ? unknown : *error;
  }
  for (size_t n = 0; n < results_.size(); ++n) {
    results[n] = {values_[results_[n]], errors_[results_[n]]};
  }
  return outcome;
}

}  // namespace mdh::scalar
