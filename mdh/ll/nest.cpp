#include "mdh/ll/nest.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/scalar/print.h"

namespace mdh::ll {

std::set<int> Nest::inside(int position) const {
  std::set<int> all;
  for (int q = position; q < depth(); ++q) all.insert(q);
  return all;
}

Count Nest::parts(int loop) const {
  const NestLoop& q = loops[loop];
  if (!q.is_open()) return q.parts;
  const std::string& size = size_names[q.level.dimension];
  return Count::open(q.chunk == 1 ? size : fmt::format("ceil({} / {})", size, q.chunk));
}

Count Nest::active(int loop) const {
  const NestLoop& q = loops[loop];
  const auto& size = sizes[q.level.dimension];
  if (q.is_open() || !size) return parts(loop);
  return std::min(q.parts, (*size + q.chunk - 1) / q.chunk);
}

Count Nest::iterations(const std::set<int>& chosen) const {
  Count product = 1;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) product *= iterations_along(d, chosen);
  return product;
}

/// Digit by digit from the most significant: while the part is full all finer digits are possible,
/// in the part that holds the last index the rest decides, beyond it nothing is left.
Count Nest::iterations_along(int dimension, const std::set<int>& chosen) const {
  std::vector<const NestLoop*> digits;
  Count all = 1;
  bool open = !sizes[dimension];
  for (const int q : chosen) {
    if (loops[q].level.dimension != dimension) continue;
    digits.push_back(&loops[q]);
    all *= parts(q);
    open |= loops[q].is_open();
  }
  if (open) return all;
  std::sort(digits.begin(), digits.end(),
            [](const NestLoop* a, const NestLoop* b) { return a->chunk > b->chunk; });
  int64_t finer = all.number().value(), rest = *sizes[dimension], count = 0;
  for (const NestLoop* digit : digits) {
    finer /= digit->parts;
    const int64_t full = std::min(rest / digit->chunk, digit->parts);
    count += full * finer;
    if (full == digit->parts) return count;
    rest -= full * digit->chunk;
  }
  return count + (rest > 0 ? 1 : 0);
}

Nest nest_of(const Program& p, const std::vector<TaggedOperator>& phase,
             const machine::Machine& machine) {
  Nest nest;
  for (const hl::Dimension& d : p.computation.dimensions) {
    nest.sizes.push_back(constant(d.size));
    nest.size_names.push_back(scalar::print(d.size));
  }
  for (const TaggedOperator& op : phase) {
    const hl::Dimension& dimension = p.computation.dimensions[op.level.dimension];
    const machine::Layer* layer = machine.find_layer(op.layer);
    internal_check(layer != nullptr, "machine '{}' has no layer '{}'", machine.name, op.layer);
    nest.loops.push_back({.level = op.level,
                          .parts = op.parts,
                          .chunk = chunk(p, op.level),
                          .layer = layer,
                          .axis = op.dimension,
                          .reduced = hl::is_reduced(dimension),
                          .concatenated = dimension.combine.shape == hl::Shape::concatenate});
  }
  return nest;
}

int common_prefix(const Program& p) {
  size_t q = 0;
  while (q < p.decompose.size() && p.decompose[q].level == p.recompose[q].level &&
         p.decompose[q].level == p.scalar.order[q] &&
         p.decompose[q].layer == p.recompose[q].layer &&
         p.decompose[q].layer == p.scalar.assignment[q].layer &&
         p.decompose[q].dimension == p.recompose[q].dimension &&
         p.decompose[q].dimension == p.scalar.assignment[q].axis) {
    ++q;
  }
  return static_cast<int>(q);
}

}  // namespace mdh::ll
