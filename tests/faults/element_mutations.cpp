#include "tests/faults/element_mutations.h"

#include "tests/faults/conditions.h"
#include "tests/faults/places.h"

namespace mdh::test {
namespace {

using loop::Element;
using loop::Expr;
using loop::Program;
using loop::Role;
using loop::StmtNode;
using scalar::binary;
using scalar::BinaryOp;
using scalar::index_literal;

/// An index that stays inside of its extent, if the extents do. Vectors want sums of counters, so
/// that the ways of other statements are closed to them.
std::optional<Element> elsewhere(const Program& p, Element e, uint64_t detail, bool in_lanes) {
  const scalar::Extents& extents = loop::find_buffer(p, e.buffer).extents;
  if (e.index.empty()) return std::nullopt;
  const size_t axis = detail % e.index.size();
  detail /= e.index.size();
  const size_t other = (axis + 1) % e.index.size();
  Expr& index = e.index[axis];
  switch (detail % 6) {
    case 0:
      index = plus(index, -1);
      return e;
    case 1:
      index = plus(index, 1);
      return e;
    case 2:
      index = index_literal(static_cast<int64_t>(detail / 6) % extents[axis]);
      return e;
    case 3:
      std::swap(index, e.index[other]);
      return e;
    case 4:
      if (in_lanes) return std::nullopt;
      index = binary(BinaryOp::remainder, plus(index, 1), index_literal(extents[axis]));
      return e;
    default:
      if (in_lanes) return std::nullopt;
      index = binary(BinaryOp::maximum, plus(index, -1), index_literal(0));
      return e;
  }
}

Element& element_of(loop::Load& s) { return s.from; }
Element& element_of(loop::Store& s) { return s.to; }
const Element& element_of(const loop::Load& s) { return s.from; }
const Element& element_of(const loop::Store& s) { return s.to; }

template <class T>
std::optional<Site> pick_access(const Program& p, const Mutation& m, Role role) {
  return pick(
      sites_of(p),
      [&](const Site& s) {
        const auto* access = s.stmt.template as<T>();
        return access && loop::find_buffer(p, element_of(*access).buffer).role == role;
      },
      m.place);
}

template <class T>
std::optional<Program> changed(const Program& p, const Mutation& m, Role role) {
  const auto site = pick_access<T>(p, m, role);
  if (!site) return std::nullopt;
  T access = *site->stmt.template as<T>();
  const auto other = elsewhere(p, element_of(access), m.detail, site->in_lanes);
  if (!other) return std::nullopt;
  element_of(access) = *other;
  return replaced(p, site->number, {StmtNode{access}});
}

}  // namespace

std::optional<Program> input_elsewhere(const Program& p, const Mutation& m) {
  return changed<loop::Load>(p, m, Role::input);
}

std::optional<Program> slot_elsewhere(const Program& p, const Mutation& m) {
  return changed<loop::Load>(p, m, Role::temporary);
}

std::optional<Program> tile_filled_elsewhere(const Program& p, const Mutation& m) {
  return changed<loop::Store>(p, m, Role::temporary);
}

std::optional<Program> output_elsewhere(const Program& p, const Mutation& m) {
  return changed<loop::Store>(p, m, Role::output);
}

std::optional<Program> input_elsewhere_once(const Program& p, const Mutation& m) {
  const auto site = pick_access<loop::Load>(p, m, Role::input);
  if (!site || site->in_lanes) return std::nullopt;
  loop::Load load = *site->stmt.as<loop::Load>();
  const auto other = elsewhere(p, load.from, m.detail, false);
  const auto chosen = at_one_point(site->around, m.detail / 64);
  if (!other || !chosen) return std::nullopt;
  for (size_t n = 0; n < load.from.index.size(); ++n) {
    load.from.index[n] = scalar::select(*chosen, other->index[n], load.from.index[n]);
  }
  return replaced(p, site->number, {StmtNode{load}});
}

}  // namespace mdh::test
