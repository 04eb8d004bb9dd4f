// The innermost loop and what is unrolled and vectorised in it.
#pragma once

#include "mdh/model/nest.h"
#include "mdh/model/rates.h"

namespace mdh::model {

/// The levels of a configuration, sorted by what becomes of them.
struct Structure {
  Nest loops;  // sequential ones, then those that are replicated: what one core does
  size_t replicated = 0;  // where those begin
  Nest cores;
  Nest whole;
};

Structure structure_of(const Nest& nest);

struct Body {
  double time = 0;        // one round, nanoseconds
  double registers = 0;   // vectors that live at the same time
  double accumulators = 0;  // vectors of results
  bool keeps_results = true;  // in registers, from one round to the next
};

/// Of one round of the innermost loop.
Body body_of(const Shape& shape, const machine::Machine& machine, const ll::Config& config,
             const Structure& structure, const Rates& rates);

}  // namespace mdh::model
