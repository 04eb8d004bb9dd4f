#include "mdh/hl/laws/law_trials.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mdh/hl/evaluate.h"

namespace mdh::hl {
namespace {

/// Values that the user gave, as they are.
std::vector<scalar::RoundedValue> taken_as_exact(const std::vector<Value>& values) {
  std::vector<scalar::RoundedValue> exact;
  for (const Value value : values) exact.push_back({value, 0});
  return exact;
}

/// An element that an array field does not have.
bool is_undefined(const Error& e) { return e.diagnostic().code == "E131"; }

}  // namespace

LawTrials::LawTrials(const Program& p, int64_t most_steps)
    : algebra_(algebra_of(p)), combine_(combine_function(p)), leaves_(result_leaves(p)) {
  algebra_.limit_steps(most_steps);
}

std::optional<LawTrials::Tuple> LawTrials::value_at(const InputsAt& inputs,
                                                    std::span<const int64_t> point) {
  const std::vector<Value> read = inputs(point);
  algebra_.count(static_cast<int64_t>(read.size() + leaves_.size()));
  Tuple result(leaves_.size());
  try {
    algebra_.f(read, point, result);
  } catch (const Error& e) {
    if (!is_undefined(e)) throw;
    return std::nullopt;
  }
  for (size_t n = 0; n < leaves_.size(); ++n) {
    if (std::isnan(to_floating(leaves_[n].type, result[n]))) return std::nullopt;
  }
  return result;
}

std::optional<LawTrials::Tuple> LawTrials::combined(const Tuple& x, const Tuple& y) {
  Tuple result(leaves_.size());
  try {
    algebra_.combine(x, y, result);
  } catch (const Error& e) {
    if (!is_undefined(e)) throw;
    return std::nullopt;
  }
  return result;
}

/// Nothing if rounding decides what comes out.
std::optional<LawTrials::RoundedTuple> LawTrials::applied(const RoundedTuple& x,
                                                          const RoundedTuple& y) {
  RoundedTuple both = x, result(leaves_.size());
  both.insert(both.end(), y.begin(), y.end());
  try {
    const auto outcome = combine_.run(both, result, algebra_.steps_left());
    algebra_.count(outcome.steps);
    if (!outcome.decided) return std::nullopt;
  } catch (const Error& e) {
    if (!is_undefined(e)) throw;
    return std::nullopt;
  }
  return result;
}

bool LawTrials::are_equal(const RoundedTuple& a, const RoundedTuple& b,
                          std::span<const Tuple* const> operands) const {
  for (size_t n = 0; n < leaves_.size(); ++n) {
    if (a[n].value == b[n].value) continue;
    if (!is_floating(leaves_[n].type)) return false;
    // f has rounded, too: operators such as the product of unit vectors rely on what it gives.
    double size = 0;
    for (const Tuple* one : operands) size = std::max(size, std::abs((*one)[n].as_floating()));
    // The bounds may be met exactly, and they are rounded themselves.
    const double slack =
        1.01 * (a[n].error + b[n].error) + 4 * scalar::epsilon_of(leaves_[n].type) * size;
    const double distance = std::abs(a[n].value.as_floating() - b[n].value.as_floating());
    if (std::isfinite(slack) && distance > slack) return false;
  }
  return true;
}

std::string LawTrials::text(const RoundedTuple& values) const {
  Tuple plain;
  for (const scalar::RoundedValue& v : values) plain.push_back(v.value);
  return text(plain);
}

std::optional<std::string> LawTrials::not_associative(const Tuple& x, const Tuple& y,
                                                      const Tuple& z) {
  const RoundedTuple a = taken_as_exact(x), b = taken_as_exact(y), c = taken_as_exact(z);
  const auto first = applied(a, b), last = applied(b, c);
  if (!first || !last) return std::nullopt;
  const auto left = applied(*first, c), right = applied(a, *last);
  const std::array<const Tuple*, 3> operands = {&x, &y, &z};
  if (!left || !right || are_equal(*left, *right, operands)) return std::nullopt;
  return fmt::format("with x = {}, y = {}, z = {} the value of (x, y), z is {}, of x, (y, z) {}",
                     text(x), text(y), text(z), text(*left), text(*right));
}

std::optional<std::string> LawTrials::not_commutative(const Tuple& x, const Tuple& y) {
  const RoundedTuple a = taken_as_exact(x), b = taken_as_exact(y);
  const auto left = applied(a, b), right = applied(b, a);
  const std::array<const Tuple*, 2> operands = {&x, &y};
  if (!left || !right || are_equal(*left, *right, operands)) return std::nullopt;
  return fmt::format("with x = {}, y = {} the value of x, y is {}, of y, x {}", text(x), text(y),
                     text(*left), text(*right));
}

}  // namespace mdh::hl
