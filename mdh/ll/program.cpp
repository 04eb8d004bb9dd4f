#include "mdh/ll/program.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/hl/analysis.h"

namespace mdh::ll {
namespace {

/// The parts of every level.
std::map<Level, int64_t> counts_of_levels(const std::vector<TaggedOperator>& operators) {
  std::map<Level, int64_t> levels;
  for (const TaggedOperator& op : operators) {
    internal_check(levels.emplace(op.level, op.parts).second, "a level occurs twice");
  }
  return levels;
}

/// A layout is a permutation of the dimensions; instead of a dimension the digits of several layers
/// may stand, each once.
void check_layout(const Layout& layout, size_t rank, const std::string& buffer) {
  std::vector<int> whole(rank, 0), digits(rank, 0);
  std::set<std::pair<int, std::string>> seen;
  for (const Axis& axis : layout) {
    internal_check(axis.dimension >= 1 && axis.dimension <= static_cast<int>(rank),
                   "the layout of '{}' is not a permutation of its {} dimensions", buffer, rank);
    internal_check(seen.emplace(axis.dimension, axis.layer).second,
                   "the layout of '{}' is not a permutation of its {} dimensions", buffer, rank);
    ++(axis.layer.empty() ? whole : digits)[axis.dimension - 1];
  }
  for (size_t e = 0; e < rank; ++e) {
    internal_check((whole[e] == 1) != (digits[e] > 0),
                   "the layout of '{}' is not a permutation of its {} dimensions", buffer, rank);
  }
}

void check_places(const std::vector<Place>& places, const std::vector<hl::BufferView>& buffers) {
  internal_check(places.size() == buffers.size(), "{} places for {} buffers", places.size(),
                 buffers.size());
  for (size_t b = 0; b < places.size(); ++b) {
    check_layout(places[b].layout, buffers[b].accesses.front().index.size(),
                 buffers[b].symbol.name);
  }
}

/// No level of the machine is used twice.
void check_assignment(const std::vector<MachineLevel>& slots) {
  std::set<MachineLevel> seen;
  for (const MachineLevel& slot : slots) {
    internal_check(seen.insert(slot).second, "two levels are assigned to {}.{}", slot.layer,
                   slot.axis);
  }
}

std::vector<MachineLevel> slots_of(const std::vector<TaggedOperator>& phase) {
  std::vector<MachineLevel> slots;
  for (const TaggedOperator& op : phase) slots.push_back({op.layer, op.dimension});
  return slots;
}

/// Parts cover the size; a size known at run time only has one open level.
void check_cover(const Program& p, const std::map<Level, int64_t>& levels, int d) {
  const std::string& name = p.computation.dimensions[d].symbol.name;
  int64_t product = 1;
  int open = 0;
  for (const auto& [level, parts] : levels) {
    if (level.dimension != d) continue;
    open += parts == open_parts ? 1 : 0;
    internal_check(parts == open_parts || !__builtin_mul_overflow(product, parts, &product),
                   "dimension '{}' has more parts than 64 bits hold", name);
  }
  const auto size = constant(p.computation.dimensions[d].size);
  if (!size) {
    internal_check(open == 1, "dimension '{}' of unknown size has {} open levels", name, open);
    return;
  }
  internal_check(open == 0 && product >= *size, "dimension '{}' is not fully partitioned", name);
}

}  // namespace

std::string to_string(const Axis& axis) {
  return axis.layer.empty() ? std::to_string(axis.dimension)
                            : fmt::format("{}@{}", axis.dimension, axis.layer);
}

std::string print_parts(int64_t parts) { return parts == open_parts ? "*" : std::to_string(parts); }

std::string to_string(const Program& p, const Level& level) {
  return p.layers[level.layer] + "." + p.computation.dimensions[level.dimension].symbol.name;
}

MachineLevel slot_of(const std::vector<TaggedOperator>& phase, const Level& level) {
  for (const TaggedOperator& op : phase) {
    if (op.level == level) return {op.layer, op.dimension};
  }
  return {};
}

std::vector<TaggedOperator> scalar_operators(const Program& p) {
  std::vector<TaggedOperator> operators;
  for (size_t q = 0; q < p.scalar.order.size(); ++q) {
    const Level& level = p.scalar.order[q];
    const auto same = std::find_if(p.decompose.begin(), p.decompose.end(),
                                   [&](const TaggedOperator& op) { return op.level == level; });
    const MachineLevel& slot = p.scalar.assignment[q];
    operators.push_back({level, same->parts, slot.layer, slot.axis, {}});
  }
  return operators;
}

int64_t chunk(const Program& p, const Level& level) {
  int64_t product = 1;
  for (const TaggedOperator& op : p.decompose) {
    if (op.level.dimension == level.dimension && op.level.layer > level.layer) product *= op.parts;
  }
  return product;
}

void verify(const Program& p) {
  const auto levels = counts_of_levels(p.decompose);
  internal_check(levels == counts_of_levels(p.recompose),
                 "de- and re-composition differ in their levels");
  std::set<Level> in_scalar(p.scalar.order.begin(), p.scalar.order.end());
  internal_check(in_scalar.size() == levels.size() && p.scalar.order.size() == levels.size(),
                 "the scalar phase differs in its levels");
  const auto dimensions = static_cast<int>(p.computation.dimensions.size());
  for (const auto& [level, parts] : levels) {
    internal_check(level.layer >= 0 && level.layer < static_cast<int>(p.layers.size()) &&
                       level.dimension >= 0 && level.dimension < dimensions,
                   "a level that does not exist");
    internal_check(in_scalar.contains(level), "the scalar phase lacks level {}",
                   to_string(p, level));
    internal_check(parts > 1 || parts == open_parts, "level {} has {} parts", to_string(p, level),
                   parts);
  }
  for (int d = 0; d < dimensions; ++d) check_cover(p, levels, d);
  internal_check(p.scalar.assignment.size() == p.scalar.order.size(),
                 "the scalar phase assigns {} of {} levels", p.scalar.assignment.size(),
                 p.scalar.order.size());
  check_assignment(slots_of(p.decompose));
  check_assignment(p.scalar.assignment);
  check_assignment(slots_of(p.recompose));
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
