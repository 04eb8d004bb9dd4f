// Which of its slots a statement uses of a tile that is copied ahead: t[(s + 1) % 2, ...].
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// Slot (sum of times * variable + number) % of, or slot `number` where there is no variable.
struct Slot {
  std::map<std::string, int64_t> times = {};
  int64_t number = 0;
  int64_t of = 1;
  friend auto operator<=>(const Slot&, const Slot&) = default;
};

/// A buffer, or one slot of it.
struct Place {
  std::string buffer;
  std::optional<Slot> slot = {};
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// The loops around a statement, by their variables.
using Around = std::set<std::string>;

/// Every place where the statement itself, not those inside, uses the buffer: the slot if loops
/// around it count the slots, or all of it.
std::vector<Place> places_of(const loop::Program& p, const loop::Stmt& s, const Symbol& buffer,
                             const Around& around);

/// The loop with this variable counts the slot, alone or with others.
bool counts(const Place& place, const Symbol& var);

/// False if two statements that run in the same round of all loops use different slots.
bool may_meet(const Place& a, const Place& b);

/// The same slot as loops see it: one that begins to count, its next round, and what is behind it.
Place when_begins(const Place& place, const loop::For& loop);
Place in_next_round(const Place& place, const Symbol& var);
Place behind(const Place& place, const Symbol& var);

}  // namespace mdh::passes
