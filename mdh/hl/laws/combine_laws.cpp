#include "mdh/hl/laws/combine_laws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mdh/hl/evaluate.h"

namespace mdh::hl {
namespace {

using scalar::Leaf;

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

/// The largest magnitude of each leaf, which rounding errors are relative to.
void note_magnitudes(const Mda& a, const std::vector<Leaf>& leaves, std::vector<double>& largest) {
  for (size_t n = 0; n < a.cells.size(); ++n) {
    const size_t leaf = n % leaves.size();
    const double size = std::abs(to_floating(leaves[leaf].type, a.cells[n]));
    largest[leaf] = std::max(largest[leaf], std::isnan(size) ? HUGE_VAL : size);
  }
}

bool is_near(const Mda& a, const Mda& b, const std::vector<Leaf>& leaves,
             const std::vector<double>& largest) {
  if (a.sets != b.sets) return false;
  // A value went through no more operations than there are points, and few in each.
  constexpr double roundings = 256;
  for (size_t n = 0; n < a.cells.size(); ++n) {
    const size_t leaf = n % leaves.size();
    if (a.cells[n] == b.cells[n]) continue;
    if (!is_floating(leaves[leaf].type)) return false;
    const double slack = roundings * scalar::epsilon_of(leaves[leaf].type) * largest[leaf];
    if (std::abs(a.cells[n].as_floating() - b.cells[n].as_floating()) > slack) return false;
  }
  return true;
}

class HomomorphismTrials {
 public:
  HomomorphismTrials(const Program& p, uint64_t seed)
      : program_(p), random_(seed), algebra_(algebra_of(p)), leaves_(result_leaves(p)) {
    constexpr int64_t most_steps = 2'000'000;
    algebra_.limit_steps(most_steps);
  }

  std::optional<std::string> run(const std::function<InputsAt(int)>& inputs) {
    // From two points to many: how long it takes to combine them shows on the way.
    const std::vector<size_t> points = {2, 4, 8, 16, 64};
    for (size_t n = 0; n < 60 && algebra_.steps_left() > 0; ++n) {
      const size_t most = points[std::min(n, points.size() - 1)];
      if (auto found = unless_undefined(inputs(static_cast<int>(n)), most)) return found;
    }
    return std::nullopt;
  }

 private:
  /// Data for which an index is divided by zero or an element does not exist are not meant.
  std::optional<std::string> unless_undefined(const InputsAt& inputs, size_t most) {
    try {
      return trial(inputs, most);
    } catch (const Error& e) {
      if (e.diagnostic().code != "E130" && e.diagnostic().code != "E131") throw;
      return std::nullopt;
    }
  }

  std::optional<std::string> trial(const InputsAt& inputs, size_t most) {
    const Mda input = make_mda(small_sets(program_, most, random_), leaf_count(program_.inputs),
                               [&](auto point, auto cells) {
                                 const std::vector<Value> values = inputs(point);
                                 std::copy(values.begin(), values.end(), cells.begin());
                               });
    const Mda whole = counted_md_hom(program_, algebra_, input);
    note_values_of_f(input);
    for (size_t d = 0; d < program_.dimensions.size() && algebra_.steps_left() > 0; ++d) {
      std::vector<int64_t> first, second;
      for (const int64_t i : input.sets[d]) (random_.chance(50) ? first : second).push_back(i);
      if (first.empty() || second.empty()) continue;
      if (is_same(input, whole, static_cast<int>(d), first, second)) continue;
      return fmt::format(
          "combining the results of the parts {{{}}} and {{{}}} differs from the "
          "result of both together",
          fmt::join(first, ", "), fmt::join(second, ", "));
    }
    return std::nullopt;
  }

  /// Large ones may cancel out in every result.
  void note_values_of_f(const Mda& input) {
    largest_.assign(leaves_.size(), 0);
    make_mda(input.sets, 0, [&](auto point, auto) {
      note_magnitudes(singleton(program_, algebra_, cells_at(input, point), point), leaves_,
                      largest_);
    });
  }

  bool is_same(const Mda& input, const Mda& whole, int d, const std::vector<int64_t>& first,
               const std::vector<int64_t>& second) {
    const auto [a, b] = split(input, d, first, second);
    const Mda of_a = counted_md_hom(program_, algebra_, a);
    const Mda of_b = counted_md_hom(program_, algebra_, b);
    const Mda parts = combined(program_, algebra_, d, of_a, of_b);
    std::vector<double> largest = largest_;
    for (const Mda* one : {&whole, &of_a, &of_b, &parts}) note_magnitudes(*one, leaves_, largest);
    return is_near(parts, whole, leaves_, largest);
  }

  const Program& program_;
  Random random_;
  scalar::ScalarAlgebra algebra_;
  std::vector<Leaf> leaves_;
  std::vector<double> largest_;  // magnitudes of f in this trial
};

}  // namespace

std::optional<std::string> homomorphism_counterexample(
    const Program& p, const std::function<InputsAt(int trial)>& inputs, uint64_t seed) {
  return HomomorphismTrials(p, seed).run(inputs);
}

}  // namespace mdh::hl
