// Configurations for groups of threads that make sense, without measuring anything.
#pragma once

#include <vector>

#include "mdh/model/grid_rates.h"
#include "mdh/search/sketches.h"

namespace mdh::search {

/// Valid configurations, the one with the least estimated cost first, few of a kind. Machines
/// without groups, threads, registers and lanes have none.
std::vector<EstimatedConfig> grid_sketches(const hl::Program& program,
                                           const machine::Machine& machine,
                                           const model::GridRates& rates, size_t count);

}  // namespace mdh::search
