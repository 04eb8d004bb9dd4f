#include "mdh/passes/concrete/slots.h"

#include <algorithm>

#include "mdh/scalar/linear.h"

namespace mdh::passes {
namespace {

using loop::Element;
using loop::Expr;

/// Of tiles that are copied ahead; other buffers are as long as they like.
constexpr int64_t most_slots = 16;

int64_t modulo(int64_t number, int64_t of) { return (number % of + of) % of; }

std::optional<Slot> remainder_slot(const Expr& index, int64_t of) {
  const auto* rest = index.as<scalar::Binary>();
  if (!rest || rest->op != scalar::BinaryOp::remainder || constant(rest->right) != of) {
    return std::nullopt;
  }
  const scalar::Linear sum = scalar::linear(rest->left);
  return Slot{{sum.terms.begin(), sum.terms.end()}, modulo(sum.constant, of), of};
}

std::optional<Slot> slot_of(const loop::Program& p, const Element& e) {
  const loop::Buffer& b = find_buffer(p, e.buffer);
  // What is kept of a buffer that holds less than its extents lies at the places of other elements.
  if (b.role != loop::Role::temporary || e.index.empty() || b.holds > 0) return std::nullopt;
  const int64_t of = b.extents.front();
  if (of > most_slots) return std::nullopt;
  if (const auto number = constant(e.index.front())) return Slot{{}, *number, of};
  return remainder_slot(e.index.front(), of);
}

bool is_counted_by(const Slot& slot, const Around& around) {
  return std::all_of(slot.times.begin(), slot.times.end(),
                     [&](const auto& term) { return around.contains(term.first); });
}

}  // namespace

std::vector<Place> places_of(const loop::Program& p, const loop::Stmt& s, const Symbol& buffer,
                             const Around& around) {
  std::vector<Place> places;
  for (const auto& [e, width] : loop::accesses_of(s)) {
    if (e->buffer != buffer) continue;
    auto slot = slot_of(p, *e);
    if (slot && !is_counted_by(*slot, around)) slot = std::nullopt;
    places.push_back({buffer.name, slot});
  }
  return places.empty() ? std::vector<Place>{{buffer.name}} : places;
}

bool counts(const Place& place, const Symbol& var) {
  return place.slot && place.slot->times.contains(var.name);
}

bool may_meet(const Place& a, const Place& b) {
  if (a.buffer != b.buffer) return false;
  if (!a.slot || !b.slot) return true;
  const bool comparable = a.slot->times == b.slot->times && a.slot->of == b.slot->of;
  return !comparable || a.slot->number == b.slot->number;
}

Place when_begins(const Place& place, const loop::For& loop) {
  if (!place.slot || !place.slot->times.empty()) return place;
  const int64_t of = place.slot->of;
  return {place.buffer,
          Slot{{{loop.var.name, 1}}, modulo(place.slot->number - loop.first, of), of}};
}

Place in_next_round(const Place& place, const Symbol& var) {
  if (!counts(place, var)) return place;
  Place next = place;
  next.slot->number = modulo(next.slot->number - next.slot->times.at(var.name), next.slot->of);
  return next;
}

Place behind(const Place& place, const Symbol& var) {
  return counts(place, var) ? Place{place.buffer} : place;
}

}  // namespace mdh::passes
