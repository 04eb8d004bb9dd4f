// What a configuration is going to cost on a device with groups of threads.
//
// One group is counted: instructions, memory that it shares, and how long it waits where nobody runs
// beside it. How many groups a multiprocessor has room for says how much of the waiting they hide
// from each other; how many it gets, how many of them run one after the other. Caches and memory
// serve all of them. What is slowest decides, and launches and combinations are added.
#pragma once

#include <string>

#include "mdh/ll/config.h"
#include "mdh/ll/decomposition.h"
#include "mdh/model/grid_rates.h"
#include "mdh/model/shape.h"

namespace mdh::model {

/// Times are nanoseconds.
struct GridCost {
  double compute = 0;           // instructions and shared memory, of the slowest multiprocessor
  double waiting = 0;           // of its groups, one after the other
  double waiting_together = 0;  // of that: all warps of a group
  double l2 = 0, memory = 0;
  double alternating = 0;  // computing and copying that do not overlap
  double code = 0;         // instructions that have to come from farther away
  double combining = 0;    // of groups
  double launches = 0;
  // ---- what it is made of
  double groups = 1, threads = 1;
  double resident = 1;         // groups of a multiprocessor at the same time
  double groups_together = 1;  // that there are
  double warps = 1;            // of a scheduler at the same time
  double registers = 0;        // of a thread
  double shared_bytes = 0;     // of a group
  double code_bytes = 0;       // instructions of the innermost loop
  double copies = 0;           // that a group makes of inputs
  bool fits = true;            // there is room for one group

  double total() const;

  /// A warp that waits begins nothing, but others of its scheduler do: what of computing and waiting
  /// does not overlap.
  double waiting_alone() const;
};

/// The shape is that of the decomposition's computation.
GridCost estimate(const Shape& shape, const ll::Decomposition& d, const GridRates& rates);

/// Of a configuration whose names and digits are valid; its `fuse` is already applied to the
/// program, whose shape this is.
GridCost estimate(const Shape& shape, const hl::Program& program, const machine::Machine& machine,
                  const ll::Config& config, const GridRates& rates);

/// One line per part of the cost.
std::string print(const GridCost& cost);

}  // namespace mdh::model
