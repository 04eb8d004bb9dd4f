#include "mdh/hl/mda.h"

#include <algorithm>
#include <iterator>

#include "mdh/support/diagnostic.h"

namespace mdh::hl {
namespace {

/// Steps through the product of the sets in row-major order.
void for_each_point(const std::vector<std::vector<int64_t>>& sets,
                    const std::function<void(std::span<const int64_t>)>& visit) {
  const size_t rank = sets.size();
  if (std::any_of(sets.begin(), sets.end(), [](const auto& s) { return s.empty(); })) return;
  std::vector<size_t> position(rank, 0);
  std::vector<int64_t> point(rank);
  for (size_t d = 0; d < rank; ++d) point[d] = sets[d][0];
  for (;;) {
    visit(point);
    size_t d = rank;
    while (d > 0 && ++position[d - 1] == sets[d - 1].size()) {
      position[d - 1] = 0;
      point[d - 1] = sets[d - 1][0];
      --d;
    }
    if (d == 0) return;
    point[d - 1] = sets[d - 1][position[d - 1]];
  }
}

size_t position_of(const std::vector<int64_t>& set, int64_t index) {
  const auto found = std::lower_bound(set.begin(), set.end(), index);
  internal_check(found != set.end() && *found == index, "index {} is not in the set", index);
  return static_cast<size_t>(found - set.begin());
}

void check_others_equal(const Mda& left, const Mda& right, int d) {
  for (size_t e = 0; e < left.sets.size(); ++e) {
    internal_check(static_cast<int>(e) == d || left.sets[e] == right.sets[e],
                   "index sets differ outside of the combined dimension");
  }
}

}  // namespace

bool Mda::empty() const {
  return std::any_of(sets.begin(), sets.end(), [](const auto& set) { return set.empty(); });
}

Mda make_mda(std::vector<std::vector<int64_t>> sets, int components,
             const std::function<void(std::span<const int64_t>, std::span<Value>)>& fill) {
  Mda result{std::move(sets), components, {}};
  size_t count = 1;
  for (const auto& set : result.sets) count *= set.size();
  result.cells.resize(count * static_cast<size_t>(components));
  Value* at = result.cells.data();
  for_each_point(result.sets, [&](std::span<const int64_t> point) {
    fill(point, {at, static_cast<size_t>(components)});
    at += components;
  });
  return result;
}

std::span<const Value> cells_at(const Mda& a, std::span<const int64_t> point) {
  size_t flat = 0;
  for (size_t d = 0; d < a.sets.size(); ++d) {
    flat = flat * a.sets[d].size() + position_of(a.sets[d], point[d]);
  }
  const auto count = static_cast<size_t>(a.components);
  return {a.cells.data() + flat * count, count};
}

Mda restricted(const Mda& a, int d, const std::vector<int64_t>& subset) {
  std::vector<std::vector<int64_t>> sets = a.sets;
  sets[static_cast<size_t>(d)].clear();
  std::set_intersection(a.sets[d].begin(), a.sets[d].end(), subset.begin(), subset.end(),
                        std::back_inserter(sets[d]));
  return make_mda(std::move(sets), a.components, [&](auto point, auto cells) {
    const auto from = cells_at(a, point);
    std::copy(from.begin(), from.end(), cells.begin());
  });
}

std::pair<Mda, Mda> split(const Mda& a, int d, const std::vector<int64_t>& first,
                          const std::vector<int64_t>& second) {
  return {restricted(a, d, first), restricted(a, d, second)};
}

Mda concatenated(const Mda& left, const Mda& right, int d) {
  check_others_equal(left, right, d);
  const auto &p = left.sets[d], &q = right.sets[d];
  std::vector<std::vector<int64_t>> sets = left.sets;
  sets[d].clear();
  std::merge(p.begin(), p.end(), q.begin(), q.end(), std::back_inserter(sets[d]));
  internal_check(std::adjacent_find(sets[d].begin(), sets[d].end()) == sets[d].end(),
                 "concatenated parts overlap");
  return make_mda(std::move(sets), left.components, [&](auto point, auto cells) {
    const bool in_left = std::binary_search(p.begin(), p.end(), point[d]);
    const auto from = cells_at(in_left ? left : right, point);
    std::copy(from.begin(), from.end(), cells.begin());
  });
}

std::optional<int64_t> predecessor(const std::vector<int64_t>& set, int64_t i) {
  const auto after = std::upper_bound(set.begin(), set.end(), i);
  return after == set.begin() ? std::nullopt : std::optional(*std::prev(after));
}

Mda scanned(const Mda& left, const Mda& right, int d, scalar::Algebra& algebra) {
  Mda result = concatenated(left, right, d);
  const std::vector<int64_t>& p = left.sets[d];
  return make_mda(result.sets, left.components, [&](auto point, auto cells) {
    const auto own = cells_at(result, point);
    const bool in_left = std::binary_search(p.begin(), p.end(), point[d]);
    const Mda& other = in_left ? right : left;
    const auto before = predecessor(other.sets[d], point[d]);
    if (!before) {
      std::copy(own.begin(), own.end(), cells.begin());
      return;
    }
    std::vector<int64_t> there(point.begin(), point.end());
    there[d] = *before;
    const auto value = cells_at(other, there);
    in_left ? algebra.combine(own, value, cells) : algebra.combine(value, own, cells);
  });
}

Mda combined(const Mda& left, const Mda& right, scalar::Algebra& algebra) {
  check_others_equal(left, right, -1);
  Mda result = left;
  const auto count = static_cast<size_t>(left.components);
  for (size_t n = 0; n < result.cells.size(); n += count) {
    algebra.combine({left.cells.data() + n, count}, {right.cells.data() + n, count},
                    {result.cells.data() + n, count});
  }
  return result;
}

}  // namespace mdh::hl
