// What a configuration is going to cost, without compiling anything.
//
// The innermost loop and all that is unrolled or vectorised in it are counted: operations, loads,
// chains, registers. The loops around it say how often each buffer's tile has to come from which
// memory: the tile of the outermost loop whose data fits a cache is loaded once per round of the
// loops outside. Copies, partial results, waiting and launching are added. The result is an
// estimate, good for ranking; what decides in the end is measured.
#pragma once

#include <string>
#include <vector>

#include "mdh/ll/config.h"
#include "mdh/ll/decomposition.h"
#include "mdh/model/rates.h"
#include "mdh/model/shape.h"

namespace mdh::model {

/// Nanoseconds of the slowest core.
struct Cost {
  double compute = 0;
  /// To bring data from each memory of the rates into the one before; nothing from the nearest.
  std::vector<double> from;
  double copies = 0;
  double results = 0;  // partial results: written, combined
  double overhead = 0;
  double registers = 0;     // vectors that are wanted at the same time
  double bytes_memory = 0;  // of all cores
  int extras = 0;           // decisions that differ from what is usual

  double total() const;
};

/// The shape is that of the decomposition's computation. It is made once, for many estimates.
Cost estimate(const Shape& shape, const ll::Decomposition& d, const Rates& rates);

/// Of a configuration whose names and digits are valid; its `fuse` is already applied to the
/// program, whose shape this is.
Cost estimate(const Shape& shape, const hl::Program& program, const machine::Machine& machine,
              const ll::Config& config, const Rates& rates);

/// The machine has groups of threads: what it costs there says grid_cost.h.
bool has_groups(const machine::Machine& machine);

/// Nanoseconds, on machines of either kind.
double estimated_time(const Shape& shape, const hl::Program& program,
                      const machine::Machine& machine, const ll::Config& config,
                      const Rates& rates);

/// One line per part of the cost, by rates that have the names of the memories.
std::string print(const Cost& cost, const Rates& rates);

}  // namespace mdh::model
