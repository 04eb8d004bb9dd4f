#include "mdh/ll/program.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/hl/analysis.h"

namespace mdh::ll {
namespace {

/// The parts of every level.
std::map<Level, int64_t> levels_of(const std::vector<TaggedOperator>& operators) {
  std::map<Level, int64_t> levels;
  for (const TaggedOperator& op : operators) {
    internal_check(levels.emplace(op.level, op.parts).second, "a level occurs twice");
  }
  return levels;
}

void check_places(const std::vector<Place>& places, const std::vector<hl::BufferView>& buffers) {
  internal_check(places.size() == buffers.size(), "{} places for {} buffers", places.size(),
                 buffers.size());
  for (size_t b = 0; b < places.size(); ++b) {
    std::vector<int> sorted = places[b].layout;
    std::sort(sorted.begin(), sorted.end());
    const size_t rank = buffers[b].accesses.front().index.size();
    bool permutation = sorted.size() == rank;
    for (size_t e = 0; e < sorted.size(); ++e) permutation &= sorted[e] == static_cast<int>(e) + 1;
    internal_check(permutation, "the layout of '{}' is not a permutation of its {} dimensions",
                   buffers[b].symbol.name, rank);
  }
}

}  // namespace

std::string to_string(const Program& p, const Level& level) {
  return p.layers[level.layer] + "." + p.computation.dimensions[level.dimension].symbol.name;
}

int64_t chunk(const Program& p, const Level& level) {
  int64_t product = 1;
  for (const TaggedOperator& op : p.decompose) {
    if (op.level.dimension == level.dimension && op.level.layer > level.layer) product *= op.parts;
  }
  return product;
}

void verify(const Program& p) {
  const auto levels = levels_of(p.decompose);
  internal_check(levels == levels_of(p.recompose), "de- and re-composition differ in their levels");
  std::set<Level> in_scalar(p.scalar.order.begin(), p.scalar.order.end());
  internal_check(in_scalar.size() == levels.size() && p.scalar.order.size() == levels.size(),
                 "the scalar phase differs in its levels");
  const std::vector<int64_t> sizes = hl::sizes(p.computation);
  std::vector<int64_t> product(sizes.size(), 1);
  for (const auto& [level, parts] : levels) {
    internal_check(level.layer >= 0 && level.layer < static_cast<int>(p.layers.size()) &&
                       level.dimension >= 0 && level.dimension < static_cast<int>(sizes.size()),
                   "a level that does not exist");
    internal_check(in_scalar.contains(level), "the scalar phase lacks level {}",
                   to_string(p, level));
    internal_check(parts > 1, "level {} has {} parts", to_string(p, level), parts);
    int64_t& all = product[level.dimension];
    internal_check(!__builtin_mul_overflow(all, parts, &all),
                   "dimension '{}' has more parts than 64 bits hold",
                   p.computation.dimensions[level.dimension].symbol.name);
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    internal_check(product[d] >= sizes[d], "dimension '{}' is not fully partitioned",
                   p.computation.dimensions[d].symbol.name);
  }
  for (const TaggedOperator& op : p.decompose) check_places(op.places, p.computation.inputs);
  for (const TaggedOperator& op : p.recompose) check_places(op.places, p.computation.outputs);
  check_places(p.scalar.reads, p.computation.inputs);
  check_places(p.scalar.writes, p.computation.outputs);
}

Program map_operators(const Program& p,
                      const std::function<TaggedOperator(const TaggedOperator&)>& change) {
  Program changed = p;
  for (TaggedOperator& op : changed.decompose) op = change(op);
  for (TaggedOperator& op : changed.recompose) op = change(op);
  return changed;
}

}  // namespace mdh::ll
