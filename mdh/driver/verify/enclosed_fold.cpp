#include "mdh/driver/verify/enclosed_fold.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

#include "mdh/driver/verify/input_reader.h"
#include "mdh/driver/verify/ranges.h"
#include "mdh/hl/analysis.h"
#include "mdh/scalar/enclosure/enclosing_function.h"

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

bool computes(const std::vector<scalar::Assignment>& all) {
  return std::any_of(all.begin(), all.end(),
                     [](const scalar::Assignment& a) { return computes(a.value); });
}

/// A sum of intervals, rounded in any order.
struct Sum {
  double least = 0, greatest = 0, magnitude = 0, squares = 0, terms = 0;
  double tiny = 0;  // the sum of those that are not counted
  bool no_number = false;

  /// A sum is off by no more than its smaller operand, so that what hardly differs from 0 need not
  /// be counted.
  void add(const Enclosure& e, double negligible) {
    const double l = e.least.as_floating(), g = e.greatest.as_floating();
    least += l;
    greatest += g;
    const double size = std::max(std::abs(l), std::abs(g));
    magnitude += size;
    squares += size * size;
    if (size > negligible) ++terms;
    if (size <= negligible) tiny += size;
    no_number = no_number || e.no_number;
  }
};

using Row = std::vector<Enclosure>;

/// Terms combined in three orders, without keeping them: as they come, in pairs of pairs, and in
/// eight sums that take turns. Intervals would grow with every combination, so that one end of each
/// is taken as the value.
class Orders {
 public:
  using Combine = std::function<void(const Row& term, Row& into)>;
  enum class End { least, greatest };
  Orders(Combine combine, std::vector<Scalar> types, End end)
      : combine_(std::move(combine)),
        types_(std::move(types)),
        end_(end),
        largest_(types_.size()) {}

  void add(Row term) {
    take_end(term);
    take(term, in_turn_[static_cast<size_t>(terms_ % 8)]);
    take(term, first_to_last_);
    Row pair = std::move(term);
    size_t level = 0;
    for (int64_t n = terms_; n % 2 == 1; n /= 2, ++level) {
      take(pair, pairs_[level]);
      pair = std::move(pairs_[level]);
    }
    pairs_.resize(std::max(pairs_.size(), level + 1));
    pairs_[level] = std::move(pair);
    ++terms_;
  }

  int64_t terms() const { return terms_; }

  /// The largest magnitude of each leaf on the way.
  const std::vector<double>& largest() const { return largest_; }
  bool no_number() const { return no_number_; }

  std::vector<Row> results() {
    Row in_pairs, by_turns;
    for (size_t level = pairs_.size(); level-- > 0;) {
      if (terms_ >> level & 1) take(pairs_[level], in_pairs);
    }
    for (const Row& part : in_turn_) {
      if (!part.empty()) take(part, by_turns);
    }
    return {first_to_last_, in_pairs, by_turns};
  }

 private:
  void take(const Row& term, Row& into) {
    if (into.empty()) {
      into = term;
    } else {
      combine_(term, into);
      take_end(into);
    }
  }

  void take_end(Row& row) {
    for (size_t k = 0; k < row.size(); ++k) {
      Enclosure& e = row[k];
      if (!is_floating(types_[k])) continue;
      no_number_ = no_number_ || e.no_number;
      if (!e.has_numbers()) continue;
      e = scalar::exactly(types_[k], end_ == End::least ? e.least : e.greatest);
      largest_[k] = std::max(largest_[k], std::abs(e.least.as_floating()));
    }
  }

  Combine combine_;
  std::vector<Scalar> types_;
  End end_;
  int64_t terms_ = 0;
  std::vector<double> largest_;
  bool no_number_ = false;
  Row first_to_last_;
  std::vector<Row> pairs_;  // of 2^level terms, where that bit of the count is set
  std::vector<Row> in_turn_ = std::vector<Row>(8);
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
    const auto combine = [this](const Row& term, Row& into) { take(term, into, false); };
    orders_.clear();
    for (const Orders::End end : {Orders::End::least, Orders::End::greatest}) {
      orders_.emplace_back(combine, types_, end);
    }
    walk(0);
    if (way_ == Way::orders) try_orders(all);
    round_sums(all);
  }

 private:
  /// How what is no sum is computed.
  enum class Way { nothing, follows, orders };

  void set_ways() {
    const size_t count = meaning_.f.results.size();
    is_sum_.assign(types_.size(), false);
    std::vector<scalar::Assignment> others;
    for (size_t n = 0; n < meaning_.combine.results.size(); ++n) {
      const bool adds = types_.size() == count && is_floating(types_[n]) &&
                        built_in_combination(meaning_, n) == BinaryOp::add;
      if (adds) is_sum_[n] = true;
      if (!adds) others.push_back(meaning_.combine.results[n]);
    }
    way_ = Way::follows;
    if (meaning_.combine.results.empty()) return;
    if (others.empty()) way_ = Way::nothing;
    if (!others.empty() && (computes(others) || computes(meaning_.combine.locals))) {
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
    for (size_t n = 0; n < fresh_.size(); ++n) {
      if (is_sum_[n]) sums_[n].add(fresh_[n], 4 * smallest_of(types_[n]));
    }
    for (Orders& orders : orders_) {
      if (way_ == Way::orders) orders.add(fresh_);
    }
    if (way_ == Way::follows) take(fresh_, row_, is_first_);
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
      if (is_sum_[n]) row_[n] = rounded_sum(sums_[n], types_[n], all);
    }
  }

  Enclosure rounded_sum(const Sum& s, Scalar type, Expected& all) const {
    if (!(s.magnitude < 0.99 * largest_of(type))) {
      all.weakness = HUGE_VAL;
      return scalar::everything(type);
    }
    const double epsilon = scalar::epsilon_of(type);
    double roundings = s.terms;
    if (about_.depth > 0) roundings = std::min(roundings, static_cast<double>(about_.depth));
    const double unit = roundings * epsilon < 0.01 ? 0.51 : 1;
    const double bound =
        (unit * roundings * epsilon + (s.terms + 1) * scalar::epsilon_of(Scalar::f64)) *
            s.magnitude +
        s.terms * smallest_of(type) + 64 * s.tiny;  // in pairs of pairs, the smaller one doubles
    if (s.squares > 0) all.weakness = std::max(all.weakness, bound / std::sqrt(s.squares));
    return {Value::floating(s.least - bound), Value::floating(s.greatest + bound), s.no_number};
  }

  void try_orders(Expected& all) {
    std::vector<Row> found;
    for (Orders& orders : orders_) {
      for (Row& row : orders.results()) found.push_back(std::move(row));
    }
    for (size_t k = 0; k < row_.size(); ++k) {
      row_[k] = found.front()[k];
      if (is_floating(types_[k])) row_[k] = widened(k, found, all);
    }
  }

  /// What rounding does to combinations of values of that size, and what it was seen to do. Orders
  /// that differ by much more are no matter of rounding.
  Enclosure widened(size_t k, const std::vector<Row>& found, Expected& expected) const {
    Enclosure all = found.front()[k];
    for (const Row& row : found) all = hull(types_[k], all, row[k]);
    for (const Orders& orders : orders_) all.no_number = all.no_number || orders.no_number();
    const double l = all.least.as_floating(), g = all.greatest.as_floating();
    if (!std::isfinite(l) || !std::isfinite(g)) return all;
    double size = 0;
    for (const Orders& orders : orders_) size = std::max(size, orders.largest()[k]);
    const auto terms = static_cast<double>(orders_.front().terms());
    const double rounding = std::sqrt(terms) * scalar::epsilon_of(types_[k]) * size;
    if (g - l > 1024 * rounding) expected.orders_differ = true;
    const double more = 4 * (g - l) + 4 * rounding;
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
  std::vector<Orders> orders_;
  std::vector<Sum> sums_;
  std::vector<bool> is_sum_;
  std::span<Enclosure> row_;
  bool is_first_ = true;
  Way way_ = Way::follows;
};

}  // namespace

Expected enclosed_results(const hl::Program& program, const Meaning& meaning,
                          const scalar::Deviations& deviations, const Points& points,
                          std::span<void* const> inputs, const About& about,
                          const std::function<void(double)>& share) {
  const auto new_fold = [&] { return EnclosedFold(program, meaning, deviations, inputs, about); };
  const std::vector<int64_t> counts = hl::result_sizes(program);
  Expected all;
  all.width = new_fold().width();
  all.leaves.resize(static_cast<size_t>(points.count) * all.width);
  std::mutex mutex;
  in_turns(points.count, [&]() -> Worker {
    return [&, fold = new_fold()](int64_t n) mutable {
      Expected found;
      const auto row = std::span(all.leaves).subspan(static_cast<size_t>(n) * all.width, all.width);
      fold(points.at(counts, n), row, found);
      const std::lock_guard<std::mutex> lock(mutex);
      all.weakness = std::max(all.weakness, found.weakness);
      all.orders_differ = all.orders_differ || found.orders_differ;
      if (share && n % 64 == 0) share(static_cast<double>(n) / static_cast<double>(points.count));
    };
  });
  return all;
}

}  // namespace mdh::driver
