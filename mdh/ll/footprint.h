// What a low-level program needs: parts, threads, bytes in every region, traffic. Exact, and not
// cheap: a decomposition (decomposition.h) counts it once, when it is asked.
#pragma once

#include <string>
#include <vector>

#include "mdh/ll/nest.h"
#include "mdh/ll/tile.h"

namespace mdh::ll {

struct LevelCount {
  Level level;
  std::string layer;  // of the machine
  Count parts;
  Count active;       // parts that hold points, below the first parts of all other levels
  Count iterations;   // of the loop, in all
  Count working_set;  // bytes of all buffers that its body touches once; 0 where a level is open
  Count traffic;      // bytes that enter its body, if nothing stays from one iteration to another
                      // unless the buffer does not depend on the loop
};

struct TeamCount {
  std::string layer;
  Count members;  // parts of all levels on the layer: blocks, threads
  Count active;
};

/// A copy of an input from a level inwards, one per family of accesses.
struct TileCount {
  std::string buffer;
  int staging = 0;  // which of the buffer's places, from outside in
  Family accesses;
  Place place;
  int position = 0;              // it lives inside the loops before this one
  bool is_hint = false;          // the region is a cache and the layout is kept: nothing is copied
  std::vector<Level> team;       // cores that fill it together and share it
  std::vector<int64_t> extents;  // by buffer dimension
  int64_t elements = 0;
  int64_t bytes = 0;      // of all that are in flight, with padding
  int64_t instances = 1;  // in the whole machine: one per core around it that does not share it
  Count fills;            // how often it is filled, in all
  Count traffic;          // bytes, in all
};

/// Partial results between two levels.
struct AccumulatorCount {
  std::string buffer;
  Place place;
  int position = 0;
  int64_t elements = 0;   // of one
  int64_t slots = 1;      // one for each core, and each replicated part, that is combined after it
  int64_t bytes = 0;      // of all slots
  int64_t instances = 1;  // in the whole machine: one per core around it
  Count flushes;          // how often it is combined into, or written to, what lies outside
  Count traffic;          // bytes, in all
};

struct RegionCount {
  std::string region;
  int64_t bytes = 0;                // in one instance
  std::optional<int64_t> capacity;  // of one instance
};

struct Footprint {
  std::vector<LevelCount> levels;  // in the order of de-composition
  std::vector<TeamCount> teams;    // by layer of cores
  std::vector<TileCount> tiles;
  std::vector<AccumulatorCount> accumulators;
  std::vector<RegionCount> regions;
  int fused_loops = 0;  // outer loops that all phases share
};

class Decomposition;

/// Pads and depths of the tiles are those of the program's code, by buffer and staging.
Footprint count(const Decomposition& d);

/// For one question.
Footprint footprint(const Program& p, const machine::Machine& machine);

/// A table of all counts, one line each.
std::string print(const Footprint& footprint, const Program& p);

}  // namespace mdh::ll
