#include "mdh/search/sketch_loops.h"

#include <algorithm>
#include <set>

#include "mdh/model/cost.h"

namespace mdh::search {
namespace {

int64_t size_of(const Sketch& s, int d) { return s.base->shape.dimensions[d].size; }

/// Tiles along a dimension.
int64_t trips(const Sketch& s, int d) { return (size_of(s, d) + s.tile(d) - 1) / s.tile(d); }

int dimension_count(const Sketch& s) { return static_cast<int>(s.base->dimensions()); }

/// Kept dimensions as results lie in memory, then reductions; the one that an input lies along is
/// the last.
std::vector<int> usual_order(const Sketch& s) {
  const model::Shape& shape = s.base->shape;
  const auto rank = [&](int d) {
    double rank = 0;
    for (const model::BufferShape& buffer : shape.buffers) {
      const bool counts = s.base->is_reduced(d) ? !buffer.is_output : buffer.is_output;
      for (size_t e = 0; counts && e < buffer.accesses.front().index.size(); ++e) {
        if (buffer.accesses.front().index[e].coefficients[d] == 0) continue;
        const double place =
            static_cast<double>(e + 1) / static_cast<double>(buffer.extents.size());
        rank = std::max(rank, place);
      }
    }
    return rank + (s.base->is_reduced(d) ? 10 : 0);
  };
  std::vector<int> order;
  for (int d = 0; d < dimension_count(s); ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
  return order;
}

/// Ways to deal parts to the cores: one dimension, or two where one is too short.
std::vector<std::map<int, int64_t>> dealings(const Sketch& s, int64_t cores) {
  std::vector<std::map<int, int64_t>> all = {{}};
  for (int d = 0; d < dimension_count(s); ++d) {
    const int64_t parts = std::min(cores, trips(s, d));
    if (parts > 1) all.push_back({{d, parts}});
    for (int e = 0; e < d && cores > 2; ++e) {
      for (int64_t n = 2; n * 2 <= cores; n *= 2) {
        const bool kept = !s.base->is_reduced(d) || !s.base->is_reduced(e);
        if (kept && trips(s, d) >= n && trips(s, e) >= cores / n) {
          all.push_back({{d, n}, {e, cores / n}});
        }
      }
    }
  }
  return all;
}

void deal(Sketch& s, const std::map<int, int64_t>& parts) {
  for (int d = 0; d < dimension_count(s); ++d) {
    const auto found = parts.find(d);
    s.at(Role::cores, d) = found == parts.end() ? 1 : found->second;
  }
}

void settle(Sketch& s) {
  for (int d = 0; d < dimension_count(s); ++d) {
    const bool around = s.updates && s.base->is_reduced(d);
    if (around) s.at(Role::inner, d) = 1;
    s.settle(d);
  }
}

/// Rounds that an inner loop of so many may be cut into.
std::vector<int64_t> blocks(int64_t rounds) {
  std::set<int64_t> values = {1, rounds};
  for (int64_t n = 2; n < rounds; n *= 2) values.insert(n);
  for (int64_t n = 2; n <= 16 && n < rounds; ++n) values.insert((rounds + n - 1) / n);
  return {values.begin(), values.end()};
}

/// Changes of one decision.
class Moves {
 public:
  Moves(const Sketch& from, int64_t cores) : from_(from), cores_(cores) {}

  std::vector<Sketch> run() {
    for (const auto& parts : dealings(from_, cores_)) {
      Sketch next = from_;
      deal(next, parts);
      add(next);
      if (take_over(next)) add(next);
    }
    for (int d = 0; d < dimension_count(from_); ++d) resize(from_, d);
    for (const Role role : {Role::outer, Role::inner}) exchange(role);
    for (size_t n = 0; n < from_.copies.size(); ++n) {
      if (from_.copies[n]) relocate(n);
    }
    return std::move(all_);
  }

 private:
  /// Inner loops go on with what cores had before.
  bool take_over(Sketch& next) const {
    bool any = false;
    for (int d = 0; d < dimension_count(next); ++d) {
      const int64_t before = from_.at(Role::cores, d), now = next.at(Role::cores, d);
      if (before <= now) continue;
      next.at(Role::inner, d) = from_.at(Role::inner, d) * ((before + now - 1) / now);
      any = true;
    }
    return any;
  }

  void add(Sketch next) {
    settle(next);
    all_.push_back(std::move(next));
  }

  void resize(const Sketch& from, int d) {
    const int64_t cores = from.at(Role::cores, d);
    const int64_t rounds = (trips(from, d) + cores - 1) / cores;
    if (rounds < 2 || (from.updates && from.base->is_reduced(d))) return;
    for (const int64_t block : blocks(rounds)) {
      Sketch next = from;
      next.at(Role::inner, d) = block;
      if (block != from.at(Role::inner, d)) add(next);
    }
  }

  /// Loops next to one another; what reduces stays inside of what does not.
  void exchange(Role role) {
    std::vector<size_t> used;
    const std::vector<int>& order = from_.order_of(role);
    for (size_t n = 0; n < order.size(); ++n) {
      if (from_.at(role, order[n]) > 1) used.push_back(n);
    }
    for (size_t n = 0; n + 1 < used.size(); ++n) {
      const bool inside =
          from_.base->is_reduced(order[used[n + 1]]) && !from_.base->is_reduced(order[used[n]]);
      if (role == Role::inner && inside) continue;
      Sketch next = from_;
      std::swap(next.order_of(role)[used[n]], next.order_of(role)[used[n + 1]]);
      add(next);
    }
  }

  /// Before the cores, or before a loop in which the copy is used again. Another place often needs
  /// another size as well.
  void relocate(size_t input) {
    for (const Role role : {Role::cores, Role::outer, Role::inner}) {
      for (const int d : from_.order_of(role)) {
        if (from_.at(role, d) <= 1) continue;
        if (role != Role::cores && !is_used_again(input, role, d)) continue;
        Sketch next = from_;
        next.copies[input] = SketchPlace{role, d};
        if (next.copies[input] != from_.copies[input]) {
          add(next);
          for (int e = 0; e < dimension_count(next); ++e) resize(next, e);
        }
        if (role == Role::cores) break;
      }
    }
  }

  /// A loop from this one on, inwards, leaves the tile where it is.
  bool is_used_again(size_t input, Role from, int dimension) const {
    const model::BufferShape& buffer = from_.base->shape.buffers[input];
    bool inside = false;
    for (const Role role : {Role::outer, Role::inner}) {
      for (const int d : from_.order_of(role)) {
        inside = inside || (role == from && d == dimension);
        if (inside && from_.at(role, d) > 1 && !model::depends_on(buffer, d)) return true;
      }
    }
    return false;
  }

  const Sketch& from_;
  int64_t cores_;
  std::vector<Sketch> all_;
};

}  // namespace

double cost_of(const Sketch& sketch, const model::Rates& rates) {
  const SketchBase& base = *sketch.base;
  return model::estimate(base.shape, base.variant.program, base.context.machine, config_of(sketch),
                         rates)
      .total();
}

void begin_loops(Sketch& sketch, const model::Rates& rates) {
  const std::vector<int> order = usual_order(sketch);
  for (const Role role : {Role::cores, Role::outer, Role::inner}) sketch.order_of(role) = order;
  if (sketch.updates) {  // reductions around the others
    std::stable_partition(sketch.order_of(Role::outer).begin(), sketch.order_of(Role::outer).end(),
                          [&](int d) { return sketch.base->is_reduced(d); });
  }
  if (sketch.late) sketch.order_of(Role::registers) = order;
  int most = -1;
  for (const int d : order) {
    sketch.at(Role::inner, d) = size_of(sketch, d);
    const bool longer = most < 0 || trips(sketch, d) > trips(sketch, most);
    if (!sketch.base->is_reduced(d) && longer) most = d;
  }
  if (most < 0 || trips(sketch, most) < 2) most = order.back();
  deal(sketch, {{most, std::min<int64_t>(rates.cores, trips(sketch, most))}});
  settle(sketch);
}

std::optional<Sketch> in_blocks(const Sketch& sketch, const model::Rates& rates) {
  int longest = -1;
  for (int d = 0; d < dimension_count(sketch); ++d) {
    if (!sketch.base->is_reduced(d)) continue;
    if (longest < 0 || size_of(sketch, d) > size_of(sketch, longest)) longest = d;
  }
  if (longest < 0 || sketch.updates) return std::nullopt;
  std::optional<Sketch> found;
  double best = cost_of(sketch, rates);
  for (const int64_t block : {16, 128}) {
    if (2 * block > sketch.at(Role::inner, longest)) continue;
    Sketch next = sketch;
    next.at(Role::inner, longest) = block;
    settle(next);
    const double cost = cost_of(next, rates);
    if (cost >= best) continue;
    best = cost;
    found = std::move(next);
  }
  return found;
}

void improve_loops(Sketch& sketch, const model::Rates& rates, size_t most_estimates) {
  double best = cost_of(sketch, rates);
  size_t estimates = 1;
  for (bool better = true; better && estimates < most_estimates;) {
    better = false;
    Sketch found = sketch;
    for (Sketch& next : Moves(sketch, rates.cores).run()) {
      if (++estimates > most_estimates) break;
      const double cost = cost_of(next, rates);
      if (cost >= best * 0.999) continue;
      best = cost;
      found = std::move(next);
      better = true;
    }
    sketch = std::move(found);
  }
}

}  // namespace mdh::search
