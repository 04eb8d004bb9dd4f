#include "mdh/driver/verify/yardstick.h"

#include <algorithm>
#include <cmath>

#include "mdh/driver/verify/enclosed_fold.h"
#include "mdh/driver/verify/plain_loops.h"
#include "mdh/driver/verify/ranges.h"
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

Yardstick::Yardstick(const hl::Program& program, const scalar::Deviations& deviations)
    : deviations_(deviations),
      rules_(rules_of(meaning_of(program), deviations)),
      is_enclosed_(any(rules_, Rule::enclosed)),
      meaning_(meaning_of(program)),
      definition_(program, meaning_) {
  keeps_integers_ = scalar::keeps_integers(meaning_.f) && scalar::keeps_integers(meaning_.combine);
  is_deterministic_ = scalar::is_deterministic(meaning_.f, deviations);
  for (const scalar::Assignment& a : meaning_.f.results) {
    combinations_.push_back(meaning_.combine.results.empty()
                                ? std::nullopt
                                : built_in_combination(meaning_, combinations_.size()));
    depths_.push_back(scalar::depth_of({"", {}, {a}, meaning_.f.locals}));
    epsilons_.push_back(coarsest_epsilon(a.value));
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

kernel::Module Yardstick::plain_loops(const std::string& name) const {
  return driver::plain_loops(program(), measured_.meaning, name);
}

void Yardstick::compute_by(const runtime::host::Kernel& kernel, std::span<void* const> inputs,
                           int threads) {
  definition_.compute_by(kernel, inputs, threads);
}

Expected Yardstick::expected(const Points& points, std::span<void* const> inputs,
                             const About& about, const std::function<void(double)>& share) const {
  if (is_enclosed_) {
    return enclosed_results(program(), meaning_, deviations_, points, inputs, about, share);
  }
  return from_rows(definition_.at(points, inputs, share), about);
}

Expected Yardstick::from_rows(const Rows& rows, const About& about) const {
  Expected all;
  all.width = static_cast<size_t>(hl::leaf_count(program().outputs));
  const size_t count = rows.width == 0 ? 0 : rows.values.size() / rows.width;
  all.leaves.resize(count * all.width);
  std::vector<Strength> strengths(static_cast<size_t>(most_ranges()));
  in_ranges(static_cast<int64_t>(count), [&](int part, int64_t begin, int64_t end) {
    for (auto n = static_cast<size_t>(begin); n < static_cast<size_t>(end); ++n) {
      judge_row(rows[n], about, std::span(all.leaves).subspan(n * all.width, all.width),
                strengths[static_cast<size_t>(part)]);
    }
  });
  for (const Strength& s : strengths) {
    all.weakness = std::max(all.weakness, s.weakness);
    all.allowed = std::max(all.allowed, s.allowed);
  }
  return all;
}

void Yardstick::judge_row(std::span<const Value> row, const About& about,
                          std::span<Enclosure> leaves, Strength& strength) const {
  for (size_t k = 0; k < leaves.size(); ++k) {
    const bool is_bounded = k < rules_.size() && rules_[k] == Rule::bounded;
    leaves[k] = is_bounded ? bounded(row, k, about, strength) : Enclosure{row[k], row[k]};
  }
}

/// Only scalars are bounded: a result is a leaf.
Enclosure Yardstick::bounded(std::span<const Value> row, size_t result, const About& about,
                             Strength& strength) const {
  const Measured::Extra& extra = *measured_.of[result];
  const double wide = row[extra.wide].as_floating();
  const double magnitude = row[extra.magnitude].as_floating();
  const double terms = row[extra.count].as_floating();
  const scalar::Expr& f = meaning_.f.results[result].value;
  const Scalar type = scalar_of(f.type());
  const double epsilon = scalar::epsilon_of(type), finest = scalar::epsilon_of(Scalar::f64);
  const std::optional<BinaryOp>& op = combinations_[result];
  const bool adds = op && *op == BinaryOp::add;
  if (about.whole && keeps_integers_ && magnitude <= 2 / epsilon) return around(wide, 0);
  // A sum of two is rounded once, whatever comes first; a fused sum of one is that term.
  if (adds && is_deterministic_ && terms <= (deviations_.contracts ? 1 : 2)) {
    return {row[result], row[result]};
  }
  const double depth_of_f = depths_[result];
  double roundings = op ? terms : 0;
  if (adds && about.depth > 0) roundings = std::min(roundings, static_cast<double>(about.depth));
  if (op && *op == BinaryOp::multiply) roundings = terms * (depth_of_f + 1);
  const bool few = (roundings + depth_of_f) * epsilon < 0.01;
  const double unit = few ? 0.51 : 1;  // times epsilon: products of many (1 + u) grow
  const double share = unit * (roundings * epsilon + (depth_of_f + 1) * epsilons_[result]) +
                       (terms + depth_of_f + 2) * finest;
  const double bound = share * magnitude + (terms + depth_of_f + 1) * smallest_of(type);
  if (adds) {
    const double size = std::sqrt(row[extra.square].as_floating());
    if (size > 0) strength.weakness = std::max(strength.weakness, bound / size);
  }
  strength.allowed = std::max(strength.allowed, bound);
  return around(wide, bound);
}

}  // namespace mdh::driver
