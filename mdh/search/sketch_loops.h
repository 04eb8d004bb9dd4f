// The loops around a tile of registers.
#pragma once

#include <optional>

#include "mdh/model/rates.h"
#include "mdh/search/sketch.h"

namespace mdh::search {

/// Estimated time of a sketch in nanoseconds.
double cost_of(const Sketch& sketch, const model::Rates& rates);

/// Deals the work to cores, with all other loops inside: where a search may begin.
void begin_loops(Sketch& sketch, const model::Rates& rates);

/// Another place to begin: the longest reduction in blocks, if that is estimated to be faster. Results
/// are loaded and stored more often, and inputs that are not copied have few rows in turn.
std::optional<Sketch> in_blocks(const Sketch& sketch, const model::Rates& rates);

/// Loops are split, exchanged and dealt to other cores, and copies moved, as long as the estimate
/// gets better.
void improve_loops(Sketch& sketch, const model::Rates& rates, size_t most_estimates);

}  // namespace mdh::search
