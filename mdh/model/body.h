// The innermost loop and what is unrolled and vectorised in it.
#pragma once

#include "mdh/model/nest.h"
#include "mdh/model/rates.h"

namespace mdh::model {

/// The levels of a configuration, sorted by what becomes of them.
struct Structure {
  Nest loops;             // sequential ones, then those that are replicated: what one core does
  size_t replicated = 0;  // where those begin
  Nest cores;
  Nest whole;
};

Structure structure_of(const Nest& nest);

/// What happens to results from one round to the next.
enum class Results {
  kept,     // in registers, until the loops over reductions end
  stored,   // finished: every round writes its own
  updated,  // loaded, combined and stored in every round
};

struct Body {
  double time = 0;          // one round, nanoseconds
  double registers = 0;     // vectors that live at the same time
  double accumulators = 0;  // vectors of results
  Results results = Results::kept;
  double rounds_kept = 1;     // rounds after which results leave the registers
  double stored = 0;          // nanoseconds to write all accumulators once
  bool in_registers = false;  // the steps of one round combine there
};

/// Of one round of the innermost loop.
Body body_of(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
             const Structure& structure, const Rates& rates);

}  // namespace mdh::model
