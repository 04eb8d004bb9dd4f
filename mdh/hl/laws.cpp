#include "mdh/hl/laws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mdh/hl/address.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/evaluate.h"
#include "mdh/support/random.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using scalar::Leaf;
using Tuple = std::vector<Value>;

constexpr int trials = 1000;

/// There is no further trial of a law once it took so many steps, in all dimensions together: f may
/// be a long loop.
constexpr int64_t most_steps = 2'000'000;

/// A loop that uses up all steps ends the search. If it is endless, evaluation will say so.
template <class Search>
std::optional<std::string> while_steps_are_left(Search&& search) {
  try {
    return search();
  } catch (const Error& e) {
    if (e.diagnostic().code != "E132") throw;
    return std::nullopt;
  }
}

/// Few values, so that equal ones meet.
Value drawn(scalar::Scalar type, Random& random) {
  if (type == scalar::Scalar::boolean) return Value::integer(random.between(0, 1));
  const int64_t least = scalar::is_signed(type) || is_floating(type) ? -1 : 0;
  return scalar::from_integer(type, random.between(least, least + 3));
}

/// Input buffers whose elements are drawn when they are looked at: always the same ones for a seed.
class LazyInputs {
 public:
  explicit LazyInputs(const Program& p) {
    for (const Component& c : components(p.inputs)) {
      const BufferView& view = p.inputs[c.buffer];
      accesses_.push_back({c, Address(p, view, view.accesses[c.access]), leaves_of(view.type)});
    }
  }

  size_t leaf_count() const {
    size_t count = 0;
    for (const Placed& access : accesses_) count += access.leaves.size();
    return count;
  }

  Tuple at(std::span<const int64_t> point, uint64_t seed) const {
    Tuple leaves;
    for (const Placed& access : accesses_) {
      const auto element = static_cast<uint64_t>(access.address(point));
      Random random(seed ^ (element * 977 + static_cast<uint64_t>(access.component.buffer)));
      for (const Leaf& leaf : access.leaves) leaves.push_back(drawn(leaf.type, random));
    }
    return leaves;
  }

 private:
  struct Placed {
    Component component;
    Address address;
    std::vector<Leaf> leaves;
  };
  std::vector<Placed> accesses_;
};

/// The results of all outputs at one point.
class Results {
 public:
  explicit Results(const Program& p) {
    for (const Component& c : components(p.outputs)) {
      const auto more = leaves_of(p.outputs[c.buffer].type);
      leaves_.insert(leaves_.end(), more.begin(), more.end());
    }
  }

  size_t leaf_count() const { return leaves_.size(); }
  Tuple blank() const { return Tuple(leaves_.size()); }

  /// The same number, or random ones, in every leaf.
  Tuple number(int64_t n) const {
    Tuple tuple;
    for (const Leaf& leaf : leaves_) tuple.push_back(scalar::from_integer(leaf.type, n));
    return tuple;
  }
  Tuple random(Random& random) const {
    Tuple tuple;
    for (const Leaf& leaf : leaves_) tuple.push_back(drawn(leaf.type, random));
    return tuple;
  }

  /// Numerically equal: a result may be 0 or -0, or any NaN.
  bool equal(const Tuple& a, const Tuple& b) const {
    for (size_t n = 0; n < leaves_.size(); ++n) {
      const double x = to_floating(leaves_[n].type, a[n]), y = to_floating(leaves_[n].type, b[n]);
      // Values of f need not be small integers: sums of them may differ in the last digits.
      const double slack = is_floating(leaves_[n].type) ? 1e-3 * (std::abs(x) + std::abs(y)) : 0;
      const bool near = std::abs(x - y) <= slack || (x != x && y != y) || x == y;
      if (a[n] != b[n] && !near) return false;
    }
    return true;
  }

  std::string text(const Tuple& tuple) const {
    std::vector<std::string> texts;
    for (size_t n = 0; n < leaves_.size(); ++n) {
      texts.push_back(to_string(leaves_[n].type, tuple[n]));
    }
    return texts.size() == 1 ? texts[0] : "{" + join(texts, ", ") + "}";
  }

  bool is_number(const Tuple& tuple) const {
    for (size_t n = 0; n < leaves_.size(); ++n) {
      if (std::isnan(to_floating(leaves_[n].type, tuple[n]))) return false;
    }
    return true;
  }

 private:
  std::vector<Leaf> leaves_;
};

/// ⊕ on results of f.
class Operator {
 public:
  Operator(const Program& p, int d)
      : results(p), sizes_(sizes(p)), dimension_(d), inputs_(p), algebra_(algebra_of(p)) {
    algebra_.limit_steps(most_steps / static_cast<int64_t>(p.dimensions.size()));
  }

  const Results results;

  bool may_go_on() const { return algebra_.steps_left() > 0; }

  Tuple operator()(const Tuple& a, const Tuple& b) {
    Tuple result = results.blank();
    algebra_.combine(a, b, result);
    return result;
  }

  /// f at points that differ in the dimension only; fewer than asked for if the dimension is too
  /// small, or where f is not a number: nothing is ordered then, and data are not meant to be so.
  std::vector<Tuple> draw(size_t count, Random& random) {
    std::vector<int64_t> point;
    for (const int64_t size : sizes_) point.push_back(random.between(0, size - 1));
    std::vector<int64_t> indices;
    for (int n = 0; n < 20 && indices.size() < count; ++n) {
      const int64_t i = random.between(0, std::min<int64_t>(sizes_[dimension_], 8) - 1);
      if (std::find(indices.begin(), indices.end(), i) == indices.end()) indices.push_back(i);
    }
    const uint64_t seed = random.next();
    std::vector<Tuple> values;
    algebra_.count(
        static_cast<int64_t>(indices.size() * (results.leaf_count() + inputs_.leaf_count())));
    for (const int64_t i : indices) {
      point[dimension_] = i;
      values.push_back(results.blank());
      algebra_.f(inputs_.at(point, seed), point, values.back());
      if (!results.is_number(values.back())) values.pop_back();
    }
    return values;
  }

 private:
  std::vector<int64_t> sizes_;
  int dimension_;
  LazyInputs inputs_;
  scalar::ScalarAlgebra algebra_;
};

/// Up to four indices of each dimension, drawn from the index set. Of many dimensions only some,
/// others each time, have more than one: there are not more than `most` points. Those with
/// operators of the user come first.
std::vector<std::vector<int64_t>> small_sets(const Program& p, size_t most, Random& random) {
  const std::vector<int64_t> counts = sizes(p);
  std::vector<size_t> order(counts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  random.shuffle(order);
  std::stable_partition(order.begin(), order.end(),
                        [&](size_t d) { return p.dimensions[d].combine.shape == Shape::custom; });
  std::vector<std::vector<int64_t>> sets(counts.size());
  for (const size_t d : order) {
    std::vector<int64_t> all(static_cast<size_t>(std::min<int64_t>(counts[d], 6)));
    std::iota(all.begin(), all.end(), int64_t{0});
    random.shuffle(all);
    all.resize(std::min({all.size(), size_t{4}, std::max<size_t>(most, 1)}));
    most /= all.size();
    std::sort(all.begin(), all.end());
    sets[d] = std::move(all);
  }
  return sets;
}

Mda random_input(const Program& p, size_t most, Random& random) {
  std::vector<Leaf> leaves;
  for (const Component& c : components(p.inputs)) {
    const auto more = leaves_of(p.inputs[c.buffer].type);
    leaves.insert(leaves.end(), more.begin(), more.end());
  }
  return make_mda(small_sets(p, most, random), static_cast<int>(leaves.size()),
                  [&](auto, auto cells) {
                    for (size_t n = 0; n < leaves.size(); ++n) {
                      cells[n] = drawn(leaves[n].type, random);
                    }
                  });
}

/// Moving values around takes its time, too: about a hundred steps per point and dimension, and one
/// per leaf.
Mda counted_md_hom(const Program& p, scalar::Algebra& algebra, const Mda& input) {
  Mda result = md_hom(p, algebra, input);
  int64_t points = 1;
  for (const auto& set : input.sets) points *= static_cast<int64_t>(set.size());
  const auto leaves = input.components + result.components;
  algebra.count(points * (100 * static_cast<int64_t>(input.sets.size()) + leaves));
  return result;
}

[[noreturn]] void broken(const Program& p, const Dimension& d, const std::string& law,
                         const std::string& counterexample) {
  user_error("E229", d.where,
             fmt::format("the operator of dimension '{}' of '{}' is not {}: {}", d.symbol.name,
                         p.name, law, counterexample),
             "a configuration may combine parts in any order and grouping, so the operator has to "
             "allow it; break ties by an index, for example");
}

bool is_built_in(const Program& p, const CombineOperator& op) {
  const auto& users = p.definitions.operators;
  return std::none_of(op.operators.begin(), op.operators.end(), [&](const std::string& name) {
    return std::any_of(users.begin(), users.end(), [&](const auto& u) { return u.name == name; });
  });
}

std::optional<std::string> find_not_associative(const Program& p, int d, uint64_t seed) {
  Operator op(p, d);
  Random random(seed);
  for (int n = 0; n < trials && op.may_go_on(); ++n) {
    const std::vector<Tuple> xs = op.draw(3, random);
    if (xs.size() < 3) continue;
    const Tuple left = op(op(xs[0], xs[1]), xs[2]), right = op(xs[0], op(xs[1], xs[2]));
    if (op.results.equal(left, right)) continue;
    return fmt::format("with x = {}, y = {}, z = {} the value of (x, y), z is {}, of x, (y, z) {}",
                       op.results.text(xs[0]), op.results.text(xs[1]), op.results.text(xs[2]),
                       op.results.text(left), op.results.text(right));
  }
  return std::nullopt;
}

std::optional<std::string> find_not_commutative(const Program& p, int d, uint64_t seed) {
  Operator op(p, d);
  Random random(seed);
  for (int n = 0; n < trials && op.may_go_on(); ++n) {
    const std::vector<Tuple> xs = op.draw(2, random);
    if (xs.size() < 2) continue;
    const Tuple left = op(xs[0], xs[1]), right = op(xs[1], xs[0]);
    if (op.results.equal(left, right)) continue;
    return fmt::format("with x = {}, y = {} the value of x, y is {}, of y, x {}",
                       op.results.text(xs[0]), op.results.text(xs[1]), op.results.text(left),
                       op.results.text(right));
  }
  return std::nullopt;
}

std::optional<std::string> find_no_homomorphism(const Program& p, uint64_t seed) {
  Random random(seed);
  scalar::ScalarAlgebra algebra = algebra_of(p);
  algebra.limit_steps(most_steps);
  // From two points to many: how long it takes to combine them shows on the way.
  const std::vector<size_t> points = {2, 4, 8, 16, 64};
  for (size_t n = 0; n < 60 && algebra.steps_left() > 0; ++n) {
    const Mda input = random_input(p, points[std::min(n, points.size() - 1)], random);
    const Mda whole = counted_md_hom(p, algebra, input);
    for (size_t d = 0; d < p.dimensions.size() && algebra.steps_left() > 0; ++d) {
      std::vector<int64_t> first, second;
      for (const int64_t i : input.sets[d]) (random.chance(50) ? first : second).push_back(i);
      if (first.empty() || second.empty()) continue;
      const int dimension = static_cast<int>(d);
      const auto [a, b] = split(input, dimension, first, second);
      const Mda parts = combined(p, algebra, dimension, counted_md_hom(p, algebra, a),
                                 counted_md_hom(p, algebra, b));
      if (parts == whole) continue;
      return fmt::format(
          "combining the results of the parts {{{}}} and {{{}}} differs from the "
          "result of both together",
          fmt::join(first, ", "), fmt::join(second, ", "));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> exchange_counterexample(const Program& p, const CombineOperator& down,
                                                   const CombineOperator& across, uint64_t seed) {
  const Results results(p);
  const scalar::Function f = scalar_function(p);
  scalar::ScalarAlgebra columns(f, combine_function(p, down)), rows(f, combine_function(p, across));
  const auto applied = [&](scalar::Algebra& op, const Tuple& a, const Tuple& b) {
    Tuple result = results.blank();
    op.combine(a, b, result);
    return result;
  };
  Random random(seed);
  for (int n = 0; n < trials; ++n) {
    std::vector<Tuple> x;
    for (int64_t i = 1; i <= 4; ++i) {
      x.push_back(n == 0 ? results.number(i) : results.random(random));
    }
    const Tuple rows_first = applied(columns, applied(rows, x[0], x[1]), applied(rows, x[2], x[3]));
    const Tuple columns_first =
        applied(rows, applied(columns, x[0], x[2]), applied(columns, x[1], x[3]));
    if (results.equal(rows_first, columns_first)) continue;
    return fmt::format("[[{}, {}], [{}, {}]]: rows by {} first gives {}, columns by {} first {}",
                       results.text(x[0]), results.text(x[1]), results.text(x[2]),
                       results.text(x[3]), join(across.operators, ", "), results.text(rows_first),
                       join(down.operators, ", "), results.text(columns_first));
  }
  return std::nullopt;
}

std::optional<std::string> associativity_counterexample(const Program& p, int d, uint64_t seed) {
  return while_steps_are_left([&] { return find_not_associative(p, d, seed); });
}

std::optional<std::string> commutativity_counterexample(const Program& p, int d, uint64_t seed) {
  return while_steps_are_left([&] { return find_not_commutative(p, d, seed); });
}

std::optional<std::string> homomorphism_counterexample(const Program& p, uint64_t seed) {
  return while_steps_are_left([&] { return find_no_homomorphism(p, seed); });
}

void check_laws(const Program& p) {
  for (size_t n = 0; n < p.dimensions.size(); ++n) {
    const Dimension& d = p.dimensions[n];
    const bool on_scalars = d.combine.shape == Shape::pointwise || d.combine.shape == Shape::scan;
    if (!on_scalars || is_built_in(p, d.combine)) continue;
    if (const auto found = associativity_counterexample(p, static_cast<int>(n), 1)) {
      broken(p, d, "associative", *found);
    }
    if (const auto found = commutativity_counterexample(p, static_cast<int>(n), 1)) {
      broken(p, d, "commutative", *found);
    }
  }
  for (const Dimension& d : p.dimensions) {
    if (d.combine.shape != Shape::custom) continue;
    if (const auto found = homomorphism_counterexample(p, 1))
      broken(p, d, "a homomorphism", *found);
    return;
  }
}

}  // namespace mdh::hl
