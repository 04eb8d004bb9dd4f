// Inputs on their way to f: which tiles are copied where, and what f reads in the end.
#pragma once

#include <vector>

#include "mdh/passes/plan/plan_context.h"

namespace mdh::passes {

struct InputTile {
  int position = 0;  // filled inside the loops before this one
  loop::Block fill;
};

struct InputPlan {
  std::vector<InputTile> tiles;           // from outside in
  std::vector<loop::Element> reads;       // one per access, in the order of f's inputs
  std::vector<std::string> in_registers;  // temporaries that the decomposition means to be there
};

/// Adds the tiles to the context's buffers. A copy moves out of loops that it does not depend on.
InputPlan plan_inputs(PlanContext& context);

}  // namespace mdh::passes
