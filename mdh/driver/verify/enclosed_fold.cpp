#include "mdh/driver/verify/enclosed_fold.h"

#include <algorithm>
#include <cmath>

#include "mdh/driver/verify/input_reader.h"
#include "mdh/hl/analysis.h"
#include "mdh/scalar/enclosing_function.h"

namespace mdh::driver {
namespace {

using hl::Shape;
using scalar::BinaryOp;
using scalar::Enclosure;
using scalar::Scalar;
using scalar::Value;

bool computes(const scalar::Expr& e) {
  const auto* b = e.as<scalar::Binary>();
  const bool arithmetic = b && b->op >= BinaryOp::add && b->op <= BinaryOp::remainder &&
                          e.type().is_scalar() && is_floating(scalar_of(e.type()));
  const auto* call = e.as<scalar::Call>();
  bool any = arithmetic || (call && !call->callee);
  if (call && call->callee) {
    for (const scalar::Assignment& a : call->callee->results) any = any || computes(a.value);
  }
  for_each_child(e, [&](const scalar::Expr& child) { any = any || computes(child); });
  return any;
}

bool computes(const scalar::Function& f) {
  const auto check = [](const scalar::Assignment& a) { return computes(a.value); };
  return std::any_of(f.results.begin(), f.results.end(), check) ||
         std::any_of(f.locals.begin(), f.locals.end(), check);
}

/// A sum of intervals, rounded in any order.
struct Sum {
  double least = 0, greatest = 0, magnitude = 0, squares = 0, terms = 0;
  bool no_number = false;

  void add(const Enclosure& e) {
    const double l = e.least.as_floating(), g = e.greatest.as_floating();
    least += l;
    greatest += g;
    const double size = std::max(std::abs(l), std::abs(g));
    magnitude += size;
    squares += size * size;
    terms += size > 0 ? 1 : 0;
    no_number = no_number || e.no_number;
  }
};

class EnclosedFold {
 public:
  EnclosedFold(const hl::Program& program, const Meaning& meaning,
               const scalar::Deviations& deviations, std::span<void* const> inputs,
               const About& about)
      : program_(program),
        meaning_(meaning),
        about_(about),
        sizes_(hl::sizes(program)),
        reader_(program, inputs),
        f_(meaning.f, deviations),
        combine_(meaning.combine, deviations),
        point_(sizes_.size()),
        operands_(static_cast<size_t>(hl::leaf_count(program.inputs))),
        arguments_(operands_.size() + sizes_.size()) {
    for (const hl::BufferView& view : program.inputs) {
      for (size_t a = 0; a < view.accesses.size(); ++a) {
        for (const scalar::Leaf& leaf : leaves_of(view.type)) input_types_.push_back(leaf.type);
      }
    }
    for (const scalar::Assignment& a : meaning.f.results) {
      for (const scalar::Leaf& leaf : leaves_of(a.value.type())) types_.push_back(leaf.type);
    }
    fresh_.resize(types_.size());
    set_ways();
  }

  size_t width() const { return types_.size(); }

  void operator()(const std::vector<int64_t>& at, std::span<Enclosure> row, Expected& all) {
    at_ = at;
    row_ = row;
    is_first_ = true;
    sums_.assign(types_.size(), {});
    terms_.clear();
    walk(0);
    if (way_ == Way::sums) round_sums(all);
    if (way_ == Way::orders) try_orders(all);
  }

 private:
  enum class Way { follows, sums, orders };

  void set_ways() {
    const size_t count = meaning_.f.results.size();
    bool sums = !meaning_.combine.results.empty() && types_.size() == count;
    for (size_t n = 0; n < count && sums; ++n) {
      const auto op = built_in_combination(meaning_, n);
      sums = op == BinaryOp::add && is_floating(types_[n]);
    }
    if (sums) {
      way_ = Way::sums;
    } else if (computes(meaning_.combine)) {
      way_ = Way::orders;
    }
  }

  void walk(size_t d) {
    if (d == sizes_.size()) return contribute();
    const Shape shape = program_.dimensions[d].combine.shape;
    const int64_t first = shape == Shape::concatenate ? at_[d] : 0;
    const int64_t last = shape == Shape::pointwise ? sizes_[d] - 1 : at_[d];
    for (point_[d] = first; point_[d] <= last; ++point_[d]) walk(d + 1);
  }

  void contribute() {
    reader_(point_, operands_);
    for (size_t n = 0; n < operands_.size(); ++n) {
      arguments_[n] = scalar::exactly(input_types_[n], operands_[n]);
    }
    for (size_t d = 0; d < point_.size(); ++d) {
      arguments_[operands_.size() + d] = scalar::exactly(Scalar::i64, Value::integer(point_[d]));
    }
    f_(arguments_, fresh_);
    if (way_ == Way::sums) {
      for (size_t n = 0; n < fresh_.size(); ++n) sums_[n].add(fresh_[n]);
      return;
    }
    if (way_ == Way::orders) terms_.push_back(fresh_);
    take(fresh_, row_, is_first_);
    is_first_ = false;
  }

  /// into = into ⊕ term
  void take(std::span<const Enclosure> term, std::span<Enclosure> into, bool is_first) {
    if (is_first) {
      std::copy(term.begin(), term.end(), into.begin());
      return;
    }
    both_.assign(into.begin(), into.end());
    both_.insert(both_.end(), term.begin(), term.end());
    combine_(both_, into);
  }

  void round_sums(Expected& all) {
    for (size_t n = 0; n < sums_.size(); ++n) {
      const Sum& s = sums_[n];
      const double epsilon = scalar::epsilon_of(types_[n]);
      double roundings = s.terms;
      if (about_.depth > 0) roundings = std::min(roundings, static_cast<double>(about_.depth));
      const double unit = roundings * epsilon < 0.01 ? 0.51 : 1;
      const double bound =
          (unit * roundings * epsilon + (s.terms + 1) * scalar::epsilon_of(Scalar::f64)) *
              s.magnitude +
          s.terms * smallest_of(types_[n]);
      row_[n] = {Value::floating(s.least - bound), Value::floating(s.greatest + bound),
                 s.no_number};
      if (s.squares > 0) all.weakness = std::max(all.weakness, bound / std::sqrt(s.squares));
    }
  }

  /// As the definition says, backwards, and in pairs.
  void try_orders(Expected&) {
    std::vector<Enclosure> backwards = terms_.back();
    for (size_t n = terms_.size() - 1; n-- > 0;) {
      std::vector<Enclosure> left = terms_[n];
      take(backwards, left, false);
      backwards = left;
    }
    std::vector<std::vector<Enclosure>> level = terms_;
    while (level.size() > 1) {
      std::vector<std::vector<Enclosure>> next;
      for (size_t n = 0; n + 1 < level.size(); n += 2) {
        next.push_back(level[n]);
        take(level[n + 1], next.back(), false);
      }
      if (level.size() % 2 == 1) next.push_back(level.back());
      level = std::move(next);
    }
    for (size_t k = 0; k < row_.size(); ++k) {
      if (is_floating(types_[k])) row_[k] = widened(k, {row_[k], backwards[k], level[0][k]});
    }
  }

  Enclosure widened(size_t k, const std::vector<Enclosure>& found) const {
    Enclosure all = found.front();
    for (const Enclosure& e : found) all = hull(types_[k], all, e);
    const double l = all.least.as_floating(), g = all.greatest.as_floating();
    const double terms = static_cast<double>(terms_.size());
    const double size = std::max(std::abs(l), std::abs(g));
    const double more = 4 * (g - l) + 4 * std::sqrt(terms) * scalar::epsilon_of(types_[k]) * size;
    return {Value::floating(l - more), Value::floating(g + more), all.no_number};
  }

  const hl::Program& program_;
  const Meaning& meaning_;
  const About& about_;
  std::vector<int64_t> sizes_;
  InputReader reader_;
  scalar::EnclosingFunction f_, combine_;
  std::vector<Scalar> input_types_, types_;
  std::vector<int64_t> point_, at_;
  std::vector<Value> operands_;
  std::vector<Enclosure> arguments_, fresh_, both_;
  std::vector<std::vector<Enclosure>> terms_;
  std::vector<Sum> sums_;
  std::span<Enclosure> row_;
  bool is_first_ = true;
  Way way_ = Way::follows;
};

}  // namespace

Expected enclosed_results(const hl::Program& program, const Meaning& meaning,
                          const scalar::Deviations& deviations, const Points& points,
                          std::span<void* const> inputs, const About& about,
                          const std::function<void(double)>& share) {
  EnclosedFold fold(program, meaning, deviations, inputs, about);
  Expected all;
  all.width = fold.width();
  all.leaves.resize(static_cast<size_t>(points.count) * all.width);
  const std::vector<int64_t> counts = hl::result_sizes(program);
  for (int64_t n = 0; n < points.count; ++n) {
    const auto row = std::span(all.leaves).subspan(static_cast<size_t>(n) * all.width, all.width);
    fold(points.at(counts, n), row, all);
    if (share && n % 64 == 0) share(static_cast<double>(n) / static_cast<double>(points.count));
  }
  return all;
}

}  // namespace mdh::driver
