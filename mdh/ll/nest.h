// The loops of one phase and the arithmetic of padded partitioning.
//
// Loop q is the q-th level of the order, outermost 0. Levels with one part are no loops. An index
// is i_d = Σ p(q) · chunk(q) over the loops of dimension d; the parts that hold points are always
// the first ones, in every order of the loops.
#pragma once

#include <set>
#include <vector>

#include "mdh/ll/count.h"
#include "mdh/ll/program.h"
#include "mdh/machine/machine.h"

namespace mdh::ll {

struct NestLoop {
  Level level;
  int64_t parts = 1;  // open_parts if open
  int64_t chunk = 1;
  const machine::Layer* layer = nullptr;
  std::string axis;
  bool reduced = false;  // the results of its parts meet in one
  bool concatenated = true;

  bool is_parallel() const { return layer->kind == machine::LayerKind::cores; }
  bool is_open() const { return parts == open_parts; }
};

struct Nest {
  std::vector<NestLoop> loops;
  std::vector<std::optional<int64_t>> sizes;  // by dimension; nothing: known at run time
  std::vector<std::string> size_names;        // of those that are not known

  int depth() const { return static_cast<int>(loops.size()); }

  /// The loops from a position inwards.
  std::set<int> inside(int position) const;

  /// Part counts as numbers, symbolic for an open level.
  Count parts(int loop) const;

  /// Parts of a loop that hold points below the first parts of all others: min(parts, ⌈N/chunk⌉).
  Count active(int loop) const;

  /// How often the body of these loops runs: the combinations of their parts that hold points.
  /// Exact; where a size is open, all parts count.
  Count iterations(const std::set<int>& loops) const;

 private:
  Count iterations_along(int dimension, const std::set<int>& loops) const;
};

/// The loops of a phase; the machine outlives the nest.
Nest nest_of(const Program& p, const std::vector<TaggedOperator>& phase,
             const machine::Machine& machine);

/// How many outer loops the three phases have in common, on the same machine levels: these are
/// fused.
int common_prefix(const Program& p);

}  // namespace mdh::ll
