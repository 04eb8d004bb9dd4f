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

Expr inside(const Expr& index, int64_t extent) {
  return binary(BinaryOp::remainder, index, index_literal(extent));
}

/// One index of an element is another one: a neighbour, whether there is one or not, or
/// any element that there is.
enum class Way { before, behind, constant, swapped, next, previous };

struct Move {
  size_t axis;
  Way way;
  uint64_t rest;
};

Move move_of(const Element& e, uint64_t detail, const std::vector<Way>& ways) {
  const uint64_t axes = e.index.size();
  return {detail % axes, ways[detail / axes % ways.size()], detail / axes / ways.size()};
}

/// What vectors can do: sums of counters.
const std::vector<Way> straight = {Way::before, Way::behind, Way::constant};
const std::vector<Way> anywhere = {Way::before,  Way::behind, Way::constant,
                                   Way::swapped, Way::next,   Way::previous};
/// What stays inside of the buffer.
const std::vector<Way> harmless = {Way::constant, Way::swapped, Way::next, Way::previous};

Element elsewhere(const Program& p, Element e, const Move& move) {
  const scalar::Extents& extents = loop::find_buffer(p, e.buffer).extents;
  const size_t axis = move.axis, other = (axis + 1) % e.index.size();
  Expr& index = e.index[axis];
  switch (move.way) {
    case Way::before:
      index = plus(index, -1);
      break;
    case Way::behind:
      index = plus(index, 1);
      break;
    case Way::constant:
      index = index_literal(static_cast<int64_t>(move.rest) % extents[axis]);
      break;
    case Way::swapped:
      std::swap(index, e.index[other]);
      for (const size_t n : {axis, other}) e.index[n] = inside(e.index[n], extents[n]);
      break;
    case Way::next:
      index = inside(plus(index, 1), extents[axis]);
      break;
    case Way::previous:
      index = binary(BinaryOp::maximum, plus(index, -1), index_literal(0));
      break;
  }
  return e;
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
  Element& element = element_of(access);
  if (element.index.empty()) return std::nullopt;
  element = elsewhere(p, element, move_of(element, m.detail, site->in_lanes ? straight : anywhere));
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
  const auto chosen = at_one_point(site->around, m.detail / 64);
  if (load.from.index.empty() || !chosen) return std::nullopt;
  const Element other = elsewhere(p, load.from, move_of(load.from, m.detail, harmless));
  for (size_t n = 0; n < load.from.index.size(); ++n) {
    load.from.index[n] = scalar::select(*chosen, other.index[n], load.from.index[n]);
  }
  return replaced(p, site->number, {StmtNode{load}});
}

}  // namespace mdh::test
