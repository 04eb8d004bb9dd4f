// Where inputs are copied on their way to f.
#pragma once

#include <set>
#include <vector>

#include "mdh/ll/nest.h"
#include "mdh/ll/tile.h"

namespace mdh::ll {

/// A tile of an input from a loop inwards, one for each family of accesses. Loops are positions in
/// the nest of de-composition.
struct Staging {
  size_t buffer = 0;
  int number = 0;  // which of the buffer's places, from outside in
  Family accesses;
  Place place;
  int position = 0;           // it lives inside the loops before this one
  bool is_hint = false;       // the region is a cache and the layout is kept: nothing is copied
  bool in_registers = false;  // code names every element: no loop inside walks along the tile,
                              // there is one at a time, and it does not roll
  int source = -1;            // the staging that it is copied from; -1: the user's buffer
  std::set<int> team;         // loops on cores that fill it together and share it
  std::set<int> free;         // loops whose data it holds
  int filled = 0;  // inside the loops before this one: it moves out of those it does not use
};

/// Walks from the user's buffers to f and stages where the place changes. Below the loops that all
/// phases have in common nothing is staged step by step: what f reads is staged right there, whole.
std::vector<Staging> stagings(const Program& p, const Nest& inputs,
                              const machine::Machine& machine);

/// Decisions about the code of an input's staging; the usual ones if there are none.
StageCode stage_code(const Program& p, size_t buffer, int number);

/// The region belongs to registers alone: to layers whose parts are side by side. A tile in it that
/// loops walk along is an array in memory nevertheless.
bool is_register(const machine::Machine& machine, const std::string& region);

}  // namespace mdh::ll
