#include "mdh/driver/verify/yardstick.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "mdh/driver/verify/enclosed_fold.h"
#include "mdh/driver/verify/plain_loops.h"
#include "mdh/hl/analysis.h"
#include "mdh/scalar/contraction.h"

namespace mdh::driver {
namespace {

using scalar::BinaryOp;
using scalar::Enclosure;
using scalar::Scalar;
using scalar::Value;

/// The coarsest float that an expression computes in.
double coarsest_epsilon(const scalar::Expr& e) {
  double epsilon = 0;
  if (e.type().is_scalar() && is_floating(scalar_of(e.type()))) {
    epsilon = scalar::epsilon_of(scalar_of(e.type()));
  }
  for_each_child(
      e, [&](const scalar::Expr& child) { epsilon = std::max(epsilon, coarsest_epsilon(child)); });
  return epsilon;
}

bool any(const std::vector<Rule>& rules, Rule rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

Enclosure around(double middle, double bound) {
  return {Value::floating(middle - bound), Value::floating(middle + bound)};
}

}  // namespace

double smallest_of(Scalar type) {
  switch (type) {
    case Scalar::f16:
      return std::ldexp(1, -24);
    case Scalar::bf16:
      return std::ldexp(1, -133);
    case Scalar::f32:
      return std::ldexp(1, -149);
    default:
      return std::ldexp(1, -1074);
  }
}

double largest_of(Scalar type) {
  switch (type) {
    case Scalar::f16:
      return 65504;
    case Scalar::bf16:
      return 0x1.fep127;
    case Scalar::f32:
      return 0x1.fffffep127;
    default:
      return 0x1.fffffffffffffp1023;
  }
}

Yardstick::Yardstick(const hl::Program& program, const scalar::Deviations& deviations)
    : deviations_(deviations),
      rules_(rules_of(meaning_of(program), deviations)),
      is_enclosed_(any(rules_, Rule::enclosed)),
      meaning_(meaning_of(program)),
      definition_(program, meaning_) {
  keeps_integers_ = scalar::keeps_integers(meaning_.f) && scalar::keeps_integers(meaning_.combine);
  is_deterministic_ = scalar::is_deterministic(meaning_.f, deviations);
  for (const scalar::Assignment& a : meaning_.f.results) {
    Result r{.depth = static_cast<double>(scalar::depth_of({"", {}, {a}, meaning_.f.locals})),
             .coarsest = coarsest_epsilon(a.value)};
    if (!meaning_.combine.results.empty()) {
      r.combination = built_in_combination(meaning_, results_.size());
    }
    if (a.value.type().is_scalar() && is_floating(scalar_of(a.value.type()))) {
      r.epsilon = scalar::epsilon_of(scalar_of(a.value.type()));
      r.smallest = smallest_of(scalar_of(a.value.type()));
      r.largest = largest_of(scalar_of(a.value.type()));
    }
    results_.push_back(r);
  }
  if (is_enclosed_) return;
  measured_ = measured(meaning_, rules_);
  definition_ = Definition(program, measured_.meaning);
}

Yardstick::Yardstick(const hl::Program& views, const Meaning& twin)
    : rules_(twin.f.results.size(), Rule::exact),
      measured_{twin, {}},
      meaning_(twin),
      definition_(views, twin) {}

bool Yardstick::can_be_compiled() const {
  return !is_enclosed_ && has_plain_loops(program(), measured_.meaning);
}

bool Yardstick::has_bounds() const { return !is_enclosed_ && any(rules_, Rule::bounded); }

kernel::Module Yardstick::plain_loops(const std::string& name) const {
  return driver::plain_loops(program(), measured_.meaning, name);
}

void Yardstick::compute_by(const DefinitionKernel& kernel, std::span<void* const> inputs,
                           int threads) {
  definition_.compute_by(kernel, inputs, threads);
}

void Yardstick::each(const Points& points, std::span<void* const> inputs, const About& about,
                     const Take& take, const std::function<void(double)>& share) const {
  if (is_enclosed_) {
    take(0, enclosed_results(program(), meaning_, deviations_, points, inputs, about, share));
    return;
  }
  const auto judge = [&](int64_t first, const RowsView& rows) { take(first, judged(rows, about)); };
  definition_.each(points, inputs, judge, share);
}

Expected Yardstick::expected(const Points& points, std::span<void* const> inputs,
                             const About& about, const std::function<void(double)>& share) const {
  Expected all;
  all.width = static_cast<size_t>(hl::leaf_count(program().outputs));
  all.leaves.resize(static_cast<size_t>(points.count) * all.width);
  std::mutex mutex;
  const auto put = [&](int64_t first, const Expected& block) {
    std::copy(block.leaves.begin(), block.leaves.end(),
              all.leaves.begin() + first * static_cast<int64_t>(all.width));
    const std::lock_guard<std::mutex> lock(mutex);
    all.weakness = std::max(all.weakness, block.weakness);
    all.orders_differ = all.orders_differ || block.orders_differ;
  };
  each(points, inputs, about, put, share);
  return all;
}

std::vector<Enclosure> Yardstick::followed(const Points& points, int64_t n,
                                           std::span<void* const> inputs,
                                           const About& about) const {
  const Points one{points.at(hl::result_sizes(program()), n), 1, false};
  return enclosed_results(program(), meaning_, deviations_, one, inputs, about, {}).leaves;
}

Expected Yardstick::judged(const RowsView& rows, const About& about) const {
  Expected all;
  all.width = static_cast<size_t>(hl::leaf_count(program().outputs));
  all.leaves.resize(rows.count() * all.width);
  Strength strength;
  for (size_t n = 0; n < rows.count(); ++n) {
    judge_row(rows[n], about, std::span(all.leaves).subspan(n * all.width, all.width), strength);
  }
  all.weakness = strength.weakness;
  return all;
}

void Yardstick::judge_row(std::span<const Value> row, const About& about,
                          std::span<Enclosure> leaves, Strength& strength) const {
  for (size_t k = 0; k < leaves.size(); ++k) {
    const bool is_bounded = k < rules_.size() && rules_[k] == Rule::bounded;
    leaves[k] = is_bounded ? bounded(row, k, about, strength) : Enclosure{row[k], row[k]};
  }
}

/// Terms that are infinite or NaN make the result so; finite ones may overflow on the way, or
/// cancel. In f64 the sum that should tell these cases apart overflows as well.
Enclosure Yardstick::overflowing(double wide, const Result& r, Strength& strength) {
  if (r.combination == BinaryOp::add) strength.weakness = HUGE_VAL;
  const bool is_known = r.largest < largest_of(Scalar::f64);
  if (is_known && std::isinf(wide)) return {Value::floating(wide), Value::floating(wide), true};
  if (is_known && std::isnan(wide)) return scalar::only_nan();
  return scalar::everything(Scalar::f64);
}

/// Only scalars are bounded: a result is a leaf.
Enclosure Yardstick::bounded(std::span<const Value> row, size_t result, const About& about,
                             Strength& strength) const {
  const Measured::Extra& extra = *measured_.of[result];
  const double wide = row[extra.wide].as_floating();
  const double magnitude = row[extra.magnitude].as_floating();
  const double terms = row[extra.count].as_floating();
  const Result& r = results_[result];
  constexpr double finest = 0x1p-52;
  const std::optional<BinaryOp>& op = r.combination;
  const bool adds = op && *op == BinaryOp::add;
  if (!(magnitude < 0.99 * r.largest)) return overflowing(wide, r, strength);
  const double coarsest = std::max(r.epsilon, r.coarsest);
  if (about.whole && keeps_integers_ && magnitude <= 2 / coarsest) return around(wide, 0);
  // A sum of two is rounded once, whatever comes first; a fused sum of one is that term.
  if (adds && is_deterministic_ && terms <= (deviations_.contracts ? 1 : 2)) {
    return {row[result], row[result]};
  }
  double roundings = op ? terms : 0;
  if (adds && about.depth > 0) roundings = std::min(roundings, static_cast<double>(about.depth));
  if (op && *op == BinaryOp::multiply) roundings = terms * (r.depth + 1);
  const bool few = (roundings + r.depth) * r.epsilon < 0.01;
  const double unit = few ? 0.51 : 1;  // times epsilon: products of many (1 + u) grow
  const double share =
      unit * (roundings * r.epsilon + (r.depth + 1) * r.coarsest) + (terms + r.depth + 2) * finest;
  const double bound = share * magnitude + (terms + r.depth + 1) * r.smallest;
  if (adds) {
    const double size = std::sqrt(row[extra.square].as_floating());
    if (size > 0) strength.weakness = std::max(strength.weakness, bound / size);
  }
  return around(wide, bound);
}

}  // namespace mdh::driver
