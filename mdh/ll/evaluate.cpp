#include "mdh/ll/evaluate.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/storage.h"

namespace mdh::ll {
namespace {

using hl::Mda;
using scalar::Algebra;

/// Parts of all levels, row-major in some order of the levels; an empty part is an empty MDA.
using Parts = std::vector<Mda>;
/// Results of all parts; an empty part has none.
using Results = std::vector<std::optional<Mda>>;

std::vector<Level> levels_of(const std::vector<TaggedOperator>& operators) {
  std::vector<Level> levels;
  for (const TaggedOperator& op : operators) levels.push_back(op.level);
  return levels;
}

/// The indices whose digit at a level is `part`.
std::vector<int64_t> indices_of(const std::vector<int64_t>& set, int64_t chunk, int64_t parts,
                                int64_t part) {
  std::vector<int64_t> mine;
  std::copy_if(set.begin(), set.end(), std::back_inserter(mine),
               [&](int64_t i) { return i / chunk % parts == part; });
  return mine;
}

Parts decompose(const Program& p, const Mda& input) {
  Parts parts = {input};
  for (const TaggedOperator& op : p.decompose) {
    const int d = op.level.dimension;
    const int64_t distance = chunk(p, op.level);
    Parts finer;
    for (Mda& rest : parts) {
      for (int64_t part = 0; part < op.parts; ++part) {
        const std::vector<int64_t> mine = indices_of(rest.sets[d], distance, op.parts, part);
        std::vector<int64_t> others;
        std::set_difference(rest.sets[d].begin(), rest.sets[d].end(), mine.begin(), mine.end(),
                            std::back_inserter(others));
        auto [piece, remaining] = hl::split(rest, d, mine, others);
        finer.push_back(std::move(piece));
        rest = std::move(remaining);
      }
    }
    parts = std::move(finer);
  }
  return parts;
}

/// Where the part with position n in one order of levels stands in another order.
class Reordering {
 public:
  Reordering(const Program& p, const std::vector<Level>& from, const std::vector<Level>& to) {
    for (const Level& level : from) counts_.push_back(parts_of(p, level));
    for (const Level& level : from) {
      int64_t stride = 1;
      for (auto l = to.rbegin(); *l != level; ++l) stride *= parts_of(p, *l);
      strides_.push_back(stride);
    }
  }

  size_t operator()(size_t n) const {
    int64_t rest = static_cast<int64_t>(n), target = 0;
    for (size_t q = counts_.size(); q-- > 0;) {
      target += rest % counts_[q] * strides_[q];
      rest /= counts_[q];
    }
    return static_cast<size_t>(target);
  }

 private:
  static int64_t parts_of(const Program& p, const Level& level) {
    for (const TaggedOperator& op : p.decompose) {
      if (op.level == level) return op.parts;
    }
    return 1;
  }

  std::vector<int64_t> counts_, strides_;
};

/// f once per non-empty part, in the scalar phase's order; results are laid out in re-composition's
/// order.
Results apply_f(const Program& p, Algebra& algebra, const Parts& parts) {
  const Reordering to_input(p, p.scalar.order, levels_of(p.decompose));
  const Reordering to_result(p, p.scalar.order, levels_of(p.recompose));
  Results results(parts.size());
  for (size_t n = 0; n < parts.size(); ++n) {
    const Mda& part = parts[to_input(n)];
    if (part.empty()) continue;
    std::vector<int64_t> point;
    for (const auto& set : part.sets) {
      internal_check(set.size() == 1, "a part holds {} points", set.size());
      point.push_back(set.front());
    }
    results[to_result(n)] = hl::singleton(p.computation, algebra, part.cells, point);
  }
  return results;
}

Mda recompose(const Program& p, Algebra& algebra, Results results) {
  for (auto op = p.recompose.rbegin(); op != p.recompose.rend(); ++op) {
    Results coarser(results.size() / static_cast<size_t>(op->parts));
    for (size_t n = 0; n < results.size(); ++n) {
      if (!results[n]) continue;
      std::optional<Mda>& sum = coarser[n / static_cast<size_t>(op->parts)];
      sum = sum ? hl::combined(p.computation, algebra, op->level.dimension, *sum, *results[n])
                : std::move(*results[n]);
    }
    results = std::move(coarser);
  }
  internal_check(results.size() == 1 && results[0].has_value(), "nothing was computed");
  return std::move(*results[0]);
}

/// The places of a buffer along a phase, outermost first, without repetitions.
std::vector<Place> path_of(const std::vector<TaggedOperator>& phase, size_t buffer,
                           const Place& at_f) {
  std::vector<Place> path;
  for (const TaggedOperator& op : phase) path.push_back(op.places[buffer]);
  path.push_back(at_f);
  path.erase(std::unique(path.begin(), path.end()), path.end());
  return path;
}

/// Inputs after they went through the place of every level, whole.
std::vector<scalar::Array> read_by_f(const Program& p, std::vector<scalar::Array> inputs) {
  for (size_t b = 0; b < inputs.size(); ++b) {
    // What does not fit is refused by inp_view.
    const auto& views = p.computation.inputs;
    if (b >= views.size() || inputs[b].extents != hl::extents(p.computation, views[b])) continue;
    inputs[b] = moved_along(p, p.computation.inputs[b], path_of(p.decompose, b, p.scalar.reads[b]),
                            inputs[b]);
  }
  return inputs;
}

/// Outputs after they went the same way back.
std::vector<scalar::Array> written_by_f(const Program& p, std::vector<scalar::Array> outputs) {
  for (size_t b = 0; b < outputs.size(); ++b) {
    std::vector<Place> path = path_of(p.recompose, b, p.scalar.writes[b]);
    std::reverse(path.begin(), path.end());
    outputs[b] = moved_along(p, p.computation.outputs[b], path, outputs[b]);
  }
  return outputs;
}

}  // namespace

std::vector<scalar::Array> evaluate(const Program& p, const std::vector<scalar::Array>& inputs,
                                    Algebra& algebra) {
  for (const TaggedOperator& op : p.decompose) {
    internal_check(op.parts != open_parts, "level {} is open: its size is not known",
                   to_string(p, op.level));
  }
  const Parts parts = decompose(p, hl::inp_view(p.computation, read_by_f(p, inputs)));
  return written_by_f(
      p, hl::out_view(p.computation, recompose(p, algebra, apply_f(p, algebra, parts))));
}

std::vector<scalar::Array> evaluate(const Program& p, const std::vector<scalar::Array>& inputs) {
  scalar::ScalarAlgebra algebra = hl::algebra_of(p.computation);
  return evaluate(p, inputs, algebra);
}

}  // namespace mdh::ll
