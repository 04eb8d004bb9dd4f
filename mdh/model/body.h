// The innermost loop and what is unrolled and vectorised in it.
#pragma once

#include "mdh/model/structure.h"

namespace mdh::model {

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
Body body_of(const Work& work);

}  // namespace mdh::model
