#include "mdh/hl/laws/laws.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/laws/combine_laws.h"
#include "mdh/hl/laws/law_trials.h"
#include "mdh/hl/laws/operator_forms.h"
#include "mdh/hl/wide.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using Tuple = LawTrials::Tuple;
using Point = std::vector<int64_t>;

constexpr int trials = 1000;

/// There is no further trial of a law once it took so many steps.
constexpr int64_t most_steps = 2'000'000;
constexpr int64_t most_steps_on_data = 100'000'000;

/// A loop that uses up all steps ends the search. If it is endless, evaluation will say so.
template <class Search>
auto while_steps_are_left(Search&& search) -> decltype(search()) {
  try {
    return search();
  } catch (const Error& e) {
    if (e.diagnostic().code != "E132") throw;
    return std::nullopt;
  }
}

bool is_combined(const Dimension& d) {
  return d.combine.shape == Shape::pointwise || d.combine.shape == Shape::scan;
}

/// A point of the index set. Indices of combined dimensions are near 0 every other time, so that
/// those that count do not dwarf everything else.
Point drawn_point(const std::vector<int64_t>& counts, Random& random) {
  const bool near = random.chance(50);
  Point point;
  for (const int64_t count : counts) {
    point.push_back(random.between(0, near ? std::min<int64_t>(count, 8) - 1 : count - 1));
  }
  return point;
}

/// Values of f, and combinations of some, at points that meet in one result. No point is used
/// twice: operators may rely on an index that differs.
class ValueDrawer {
 public:
  ValueDrawer(const Program& p, LawTrials& trial)
      : program_(p), trial_(trial), inputs_(p), counts_(sizes(p)) {}

  /// Fewer values than asked for if there are no more points, or where f has no value.
  std::vector<Tuple> draw(size_t count, int turn, Random& random) {
    const auto domain = static_cast<LawDomain>(turn % 3);
    const InputsAt inputs = inputs_.from(domain, random.next());
    // Every other time sums of some, now and then of many: what a reduction meets on its way.
    const int64_t most = turn % 2 == 0 ? 1 : turn % 32 == 31 ? 64 : 4;
    used_.clear();
    here_ = drawn_point(counts_, random);
    std::vector<Tuple> values;
    for (size_t n = 0; n < count; ++n) {
      std::optional<Tuple> sum = next(inputs, random);
      for (int64_t more = random.between(1, most); sum && more > 1; --more) {
        const std::optional<Tuple> one = next(inputs, random);
        if (!one) break;
        sum = trial_.combined(*sum, *one);
      }
      if (sum) values.push_back(std::move(*sum));
    }
    return values;
  }

 private:
  std::optional<Tuple> next(const InputsAt& inputs, Random& random) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      Point point = drawn_point(counts_, random);
      for (size_t d = 0; d < point.size(); ++d) {
        if (!is_combined(program_.dimensions[d])) point[d] = here_[d];
      }
      if (used_.insert(point).second) return trial_.value_at(inputs, point);
    }
    return std::nullopt;
  }

  const Program& program_;
  LawTrials& trial_;
  DrawnInputs inputs_;
  std::vector<int64_t> counts_;
  std::set<Point> used_;
  Point here_;
};

/// A counterexample among values that are drawn, so many at a time.
std::optional<LawBreak> find_break(
    const Program& p, uint64_t seed, const std::string& law, size_t count,
    const std::function<std::optional<std::string>(LawTrials&, const std::vector<Tuple>&)>&
        breaks) {
  LawTrials trial(p, most_steps);
  ValueDrawer values(p, trial);
  Random random(seed);
  for (int n = 0; n < trials && trial.may_go_on(); ++n) {
    const std::vector<Tuple> xs = values.draw(count, n, random);
    if (xs.size() < count) continue;
    if (auto found = breaks(trial, xs)) return LawBreak{law, std::move(*found)};
  }
  return std::nullopt;
}

std::optional<LawBreak> find_not_associative(const Program& p, uint64_t seed) {
  return find_break(p, seed, "associative", 3, [](LawTrials& trial, const std::vector<Tuple>& xs) {
    return trial.not_associative(xs[0], xs[1], xs[2]);
  });
}

std::optional<LawBreak> find_not_commutative(const Program& p, uint64_t seed) {
  return find_break(p, seed, "commutative", 2, [](LawTrials& trial, const std::vector<Tuple>& xs) {
    return trial.not_commutative(xs[0], xs[1]);
  });
}

/// The points that meet in one result, in an order that a configuration may take: one after the
/// other, or in steps.
class ReductionWalk {
 public:
  ReductionWalk(const Program& p, Random& random, bool in_steps) : counts_(sizes(p)) {
    for (size_t d = 0; d < counts_.size(); ++d) {
      here_.push_back(random.between(0, counts_[d] - 1));
      if (!is_combined(p.dimensions[d])) continue;
      dimensions_.push_back(d);
      count_ *= counts_[d];
    }
    // Steps that have no factor in common with the count reach every point.
    while (in_steps && count_ > 3) {
      step_ = random.between(2, count_ - 1);
      if (std::gcd(step_, count_) == 1) break;
    }
  }

  int64_t count() const { return count_; }

  const Point& at(int64_t n) {
    auto rest = static_cast<int64_t>(Wide{n} * step_ % count_);
    for (size_t d = dimensions_.size(); d-- > 0;) {
      here_[dimensions_[d]] = rest % counts_[dimensions_[d]];
      rest /= counts_[dimensions_[d]];
    }
    return here_;
  }

 private:
  std::vector<int64_t> counts_;
  std::vector<size_t> dimensions_;
  Point here_;
  int64_t count_ = 1, step_ = 1;
};

/// A kernel combines a first part p of the points with a second part q. If that differs from
/// combining them one by one, the law is broken for p, the part of q before some point, and the
/// value at this point.
std::optional<LawBreak> broken_on_the_way(LawTrials& trial, ReductionWalk& walk,
                                          const InputsAt& inputs, int64_t first_part) {
  std::optional<Tuple> p, q;
  for (int64_t n = 0; n < walk.count() && trial.may_go_on(); ++n) {
    const std::optional<Tuple> x = trial.value_at(inputs, walk.at(n));
    if (!x) return std::nullopt;
    std::optional<Tuple>& part = n < first_part ? p : q;
    if (n < first_part || !q) {
      part = part ? trial.combined(*part, *x) : x;
      if (!part) return std::nullopt;
      continue;
    }
    if (auto found = trial.not_associative(*p, *q, *x)) {
      return LawBreak{"associative", std::move(*found)};
    }
    if (auto found = trial.not_commutative(*p, *q)) {
      return LawBreak{"commutative", std::move(*found)};
    }
    q = trial.combined(*q, *x);
    if (!q) return std::nullopt;
  }
  auto found = p && q ? trial.not_commutative(*p, *q) : std::nullopt;
  if (!found) return std::nullopt;
  return LawBreak{"commutative", std::move(*found)};
}

bool is_built_in(const Program& p, const CombineOperator& op) {
  const auto& users = p.definitions.operators;
  return std::none_of(op.operators.begin(), op.operators.end(), [&](const std::string& name) {
    return std::any_of(users.begin(), users.end(), [&](const auto& u) { return u.name == name; });
  });
}

/// The first dimension whose operator has to be tested; all others have the same one.
const Dimension* find_untrusted(const Program& p) {
  for (const Dimension& d : p.dimensions) {
    if (!is_combined(d) || is_built_in(p, d.combine)) continue;
    return is_lawful_by_form(p, d.combine) ? nullptr : &d;
  }
  return nullptr;
}

const Dimension* find_custom(const Program& p) {
  for (const Dimension& d : p.dimensions) {
    if (d.combine.shape == Shape::custom) return &d;
  }
  return nullptr;
}

/// As numbers: 0 and -0 are the same.
bool are_same(const std::vector<scalar::Leaf>& leaves, const Tuple& a, const Tuple& b) {
  for (size_t n = 0; n < leaves.size(); ++n) {
    if (a[n] == b[n]) continue;
    if (!is_floating(leaves[n].type) || a[n].as_floating() != b[n].as_floating()) return false;
  }
  return true;
}

[[noreturn]] void broken(const Program& p, const Dimension& d, const LawBreak& found) {
  const bool ties = found.law == "commutative";
  user_error("E229", d.where,
             fmt::format("the operator of dimension '{}' of '{}' is not {}: {}", d.symbol.name,
                         p.name, found.law, found.counterexample),
             std::string("a configuration may combine parts in any order and grouping, so the "
                         "operator has to allow it; ") +
                 (ties ? "break ties by an index, for example"
                       : "limits, rounding to whole numbers and averages belong behind the "
                         "reduction"));
}

}  // namespace

std::optional<std::string> exchange_counterexample(const Program& p, const CombineOperator& down,
                                                   const CombineOperator& across, uint64_t seed) {
  const std::vector<scalar::Leaf> leaves = result_leaves(p);
  const scalar::Function f = scalar_function(p);
  scalar::ScalarAlgebra columns(f, combine_function(p, down)), rows(f, combine_function(p, across));
  const auto applied = [&](scalar::Algebra& op, const Tuple& a, const Tuple& b) {
    Tuple result(leaves.size());
    op.combine(a, b, result);
    return result;
  };
  const auto text = [&](const Tuple& t) { return text_of_leaves(leaves, t); };
  Random random(seed);
  for (int n = 0; n < trials; ++n) {
    std::vector<Tuple> x(4);
    for (int64_t i = 0; i < 4; ++i) {
      for (const scalar::Leaf& leaf : leaves) {
        x[i].push_back(n == 0 ? scalar::from_integer(leaf.type, i + 1)
                              : drawn_for_laws(leaf.type, LawDomain::few, random));
      }
    }
    const Tuple rows_first = applied(columns, applied(rows, x[0], x[1]), applied(rows, x[2], x[3]));
    const Tuple columns_first =
        applied(rows, applied(columns, x[0], x[2]), applied(columns, x[1], x[3]));
    if (are_same(leaves, rows_first, columns_first)) continue;
    return fmt::format("[[{}, {}], [{}, {}]]: rows by {} first gives {}, columns by {} first {}",
                       text(x[0]), text(x[1]), text(x[2]), text(x[3]), join(across.operators, ", "),
                       text(rows_first), join(down.operators, ", "), text(columns_first));
  }
  return std::nullopt;
}

std::optional<LawBreak> broken_law(const Program& p, uint64_t seed) {
  if (auto found = while_steps_are_left([&] { return find_not_associative(p, seed); })) {
    return found;
  }
  return while_steps_are_left([&] { return find_not_commutative(p, seed); });
}

std::optional<LawBreak> broken_law_on(const Program& p, const std::vector<scalar::Array>& inputs,
                                      uint64_t seed) {
  check_inputs(p, inputs);
  return while_steps_are_left([&]() -> std::optional<LawBreak> {
    LawTrials trial(p, most_steps_on_data);
    const InputsAt read = inputs_at(p, inputs);
    Random random(seed);
    for (int n = 0; n < 16 && trial.may_go_on(); ++n) {
      ReductionWalk walk(p, random, n % 2 == 1);
      if (walk.count() < 2) break;
      const int64_t first_part = random.between(1, walk.count() - 1);
      if (auto found = broken_on_the_way(trial, walk, read, first_part)) return found;
    }
    return std::nullopt;
  });
}

void check_laws(const Program& p) {
  if (const Dimension* d = find_untrusted(p)) {
    if (const auto found = broken_law(p, 1)) broken(p, *d, *found);
  }
  if (const Dimension* d = find_custom(p)) {
    const DrawnInputs inputs(p);
    const auto found = while_steps_are_left([&] {
      return homomorphism_counterexample(
          p,
          [&](int trial) {
            return inputs.from(static_cast<LawDomain>(trial % 3), static_cast<uint64_t>(trial) + 1);
          },
          1);
    });
    if (found) broken(p, *d, {"a homomorphism", *found});
  }
}

void check_laws_on(const Program& p, const std::vector<scalar::Array>& inputs) {
  if (const Dimension* d = find_untrusted(p)) {
    if (const auto found = broken_law_on(p, inputs, 1)) broken(p, *d, *found);
  }
  if (const Dimension* d = find_custom(p)) {
    check_inputs(p, inputs);
    const auto found = while_steps_are_left([&] {
      return homomorphism_counterexample(
          p, [&](int) { return inputs_at(p, inputs); }, 1);
    });
    if (found) broken(p, *d, {"a homomorphism", *found});
  }
}

}  // namespace mdh::hl
