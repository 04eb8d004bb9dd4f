// A configuration for groups of threads in outline: who gets how many parts of which dimension, and
// what is copied for a group. Everything else follows.
//
// Results stay in registers while loops that reduce run inside of all others; neighbouring threads
// and lanes lie along memory; copies are laid out for who reads them; parts of reductions meet in
// the nearest memory that all of them see.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mdh/model/shape.h"
#include "mdh/search/space/context.h"

namespace mdh::search {

/// From outside in.
enum class GridRole { groups, warps, threads, outer, inner, registers, lanes };
inline constexpr size_t grid_role_count = 7;

inline constexpr GridRole grid_roles[] = {GridRole::groups, GridRole::warps, GridRole::threads,
                                          GridRole::outer,  GridRole::inner, GridRole::registers,
                                          GridRole::lanes};

/// What a group copies of an input.
enum class GridCopy {
  none,   // threads read the buffer itself
  piece,  // what one round of the loops that reduce reads
  whole,  // what the group reads
};

struct GridSketch {
  const space::SpaceContext* context = nullptr;
  const space::SpaceVariant* variant = nullptr;
  const model::Shape* shape = nullptr;
  size_t significance = 0;                                  // number of a way to order digits
  std::array<std::vector<int64_t>, grid_role_count> parts;  // by dimension
  std::vector<GridCopy> copies;                             // by input
  ll::Combination groups_meet = ll::Combination::automatic;

  GridSketch(const space::SpaceContext& c, const space::SpaceVariant& v, const model::Shape& s);

  size_t dimensions() const { return shape->dimensions.size(); }
  bool is_kept(int d) const { return shape->dimensions[d].kind == model::DimensionKind::kept; }
  int64_t size(int d) const { return shape->dimensions[d].size; }

  int64_t& at(GridRole role, int d) { return parts[static_cast<size_t>(role)][d]; }
  int64_t at(GridRole role, int d) const { return parts[static_cast<size_t>(role)][d]; }

  /// The layer of a role; empty where the machine has none.
  const std::string& layer_of(GridRole role) const;

  /// Of all dimensions together.
  int64_t count(GridRole role) const;

  /// Who takes what others leave: groups, of dimensions that are kept, and loops, of others.
  bool is_open(GridRole role, int d) const {
    return role == (is_kept(d) ? GridRole::groups : GridRole::outer);
  }

  /// Gives it to them, of one dimension or of all.
  void settle(int d);
  void settle();

  /// What makes two of them the same.
  std::string key() const;
};

/// The configuration that a sketch outlines; it may still break a rule.
ll::Config config_of(const GridSketch& sketch);

}  // namespace mdh::search
