// Which decisions of a configuration a target carries out. The others are named in a note, and no
// search on that target tries those that are listed here.
#pragma once

namespace mdh::ll {

/// Each of them is about what is printed; none about what is computed.
struct Obeys {
  bool prefetch = false;
  bool opaque = false;
  bool emit = false;           // the order of straight code
  bool store = false;          // hints for stores
  bool compiler = false;       // a compiler of this machine, and its flags
  bool team_tree = false;      // cores that can wait for one another combine in steps
  bool shuffle = false;        // cores of a warp hand each other what they combine
  bool last_core = false;      // the member of a grid that is done last combines
  bool atomic = false;         // members of a grid combine into one element
  bool look_back = false;      // members of a grid wait for those before them
  bool cluster = false;        // members of a grid read each other's memory
  bool tags = false;           // launches along several axes of the machine
  bool swizzle = false;        // the order in which members of a grid begin
  bool launch_bounds = false;  // threads of a block, and blocks of a multiprocessor
  bool start = false;          // launches that begin while the ones before them run
  bool transport = false;      // copies that wait in registers until the round is computed
  bool width = false;          // bytes that one access of a copy moves
  bool tile_swizzle = false;   // lines of tiles whose pieces change places
};

}  // namespace mdh::ll
