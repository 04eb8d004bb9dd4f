// Where results meet on their way from f to the user's buffers.
#pragma once

#include <vector>

#include "mdh/ll/nest.h"

namespace mdh::ll {

/// A chain of loops that share one accumulator for each output. Loops are positions in the nest of
/// re-composition.
struct Run {
  int start = -1;             // inside the loops before this one; -1: the user's buffers
  std::vector<Place> places;  // by output
  int slots = -1;             // loop on cores whose members have one accumulator each, next to one
                              // another, so that they can be combined; -1: none
  bool exchanged = false;     // they are private to the members, who hand them to each other
  std::vector<int> levels;    // its loops
  std::vector<int> replicas;  // replicated reduced loops among them whose parts are combined at the
                              // end of the run: one accumulator each
  bool is_private = false;    // cores inside keep the results of their own parts to themselves
  bool in_registers = false;  // code names every result: loops inside only reduce
  int64_t line = 0;           // elements side by side that a core moves here from what it keeps to
                              // itself; 0: they are not, or nobody does
};

/// Elements from one of these lines to the next: neighbouring cores that move 16 bytes at once shall
/// find them in different banks of the memory of their group.
int64_t padded_line(int64_t elements, const scalar::Type& type);

/// A run ends where the place of any output changes, after a reduction over cores, before a scan if
/// it contains a reduction, and right below the user's buffers if an output view is not injective.
/// All outputs end their runs together, because one operator combines them.
std::vector<Run> runs(const Program& p, const Nest& outputs, const machine::Machine& machine);

/// A loop on cores over a scanned dimension: its parts are joined by the totals of each other, kept
/// where the members can read them.
struct ScanTeam {
  int loop = 0;
  std::vector<Place> places;      // of the totals, by output
  std::vector<int> coarse, fine;  // loops of the dimension inside, most significant first
  std::vector<int> lines;         // loops inside that tell other results apart
};
ScanTeam scan_team(const Program& p, const Nest& outputs, int loop,
                   const machine::Machine& machine);

/// How the cores of a loop combine what they have made.
Combination combination_of(const Program& p, const NestLoop& loop);

/// The loop's parts are joined along a scanned dimension.
bool is_scan(const NestLoop& loop);

}  // namespace mdh::ll
