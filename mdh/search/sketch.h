// A configuration in outline: the tile that is computed in registers, the loops around it, and what
// is copied where. Everything else follows.
//
// Where a search space holds all that is valid, sketches hold what makes sense: results stay in
// registers while loops that reduce run inside of all others, lanes lie along memory or along a
// copy, and copies stand before loops that use them again.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "mdh/model/shape.h"
#include "mdh/search/space/context.h"

namespace mdh::search {

using ll::Role;
inline constexpr size_t role_count = std::size(ll::all_roles);

/// A program with some dimensions joined, as sketches see it.
struct SketchBase {
  const space::SpaceContext& context;
  const space::SpaceVariant& variant;
  model::Shape shape;

  size_t dimensions() const { return shape.dimensions.size(); }
  bool is_reduced(int d) const { return shape.dimensions[d].kind == model::DimensionKind::reduced; }
  bool is_scanned(int d) const { return shape.dimensions[d].kind == model::DimensionKind::scanned; }
};

/// Before the loop over a dimension on a layer.
struct SketchPlace {
  Role role = Role::inner;
  int dimension = 0;
  friend bool operator==(const SketchPlace&, const SketchPlace&) = default;
};

struct Sketch {
  const SketchBase* base = nullptr;
  std::array<std::vector<int64_t>, role_count> parts;  // by dimension
  std::array<std::vector<int>, role_count> order;      // all dimensions, outermost first
  bool late = false;     // replicated parts of reductions are combined behind the inner loops
  bool updates = false;  // results are brought up to date in memory by loops around the inner ones
  std::vector<std::optional<SketchPlace>> copies;  // by input
  std::vector<bool> in_registers;                  // by input

  explicit Sketch(const SketchBase& of);

  int64_t& at(Role role, int d) { return parts[static_cast<size_t>(role)][d]; }
  int64_t at(Role role, int d) const { return parts[static_cast<size_t>(role)][d]; }
  std::vector<int>& order_of(Role role) { return order[static_cast<size_t>(role)]; }
  const std::vector<int>& order_of(Role role) const { return order[static_cast<size_t>(role)]; }

  /// Elements of a dimension in one tile of registers.
  int64_t tile(int d) const { return at(Role::registers, d) * at(Role::lanes, d); }

  /// The outer loops take what cores, inner loops and tiles leave of a dimension.
  void settle(int d);
};

/// The configuration that a sketch outlines; it may still break a rule.
ll::Config config_of(const Sketch& sketch);

}  // namespace mdh::search
