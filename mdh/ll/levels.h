// A configuration in numbers: what its words say about every level of the machine.
//
// Both views of a configuration, the paper's parameters and the low-level program, are made from
// this one. Searches ask for very many of them, so nothing here is looked up by name twice.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mdh/ll/config.h"
#include "mdh/ll/program.h"

namespace mdh::ll {

/// A level by its number: that of its layer times the number of dimensions, plus its dimension.
using LevelNumber = int;

struct PhaseLevels {
  std::vector<LevelNumber> order;        // all levels, outermost first
  std::vector<MachineLevel> assignment;  // by level
};

/// A buffer moves to a place before a position of the order; the last position is that of f.
struct Move {
  size_t position = 0;
  Place place;
};

struct Levels {
  std::vector<std::string> layers;  // every layer of the machine, most significant first
  int dimensions = 0;
  std::vector<int64_t> parts;                    // by level
  std::array<PhaseLevels, 3> phases;             // de-composition, scalar, re-composition
  std::vector<std::vector<Move>> reads, writes;  // by buffer; the first place is the user's

  int count() const { return static_cast<int>(parts.size()); }
  Level level(LevelNumber n) const { return {n / dimensions, n % dimensions}; }
};

/// The layout of a tile that says nothing: dimensions as outside, where each ends innermost.
Layout whole(const Layout& outside);

/// Of a configuration whose names and digits are valid, in the machine's own names. Levels that it
/// leaves out have one part and come last.
Levels levels_of(const Config& config, const hl::Program& program, const machine::Machine& machine);

}  // namespace mdh::ll
