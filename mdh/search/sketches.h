// Configurations that make sense, without measuring anything.
#pragma once

#include <vector>

#include "mdh/model/rates.h"
#include "mdh/search/search_space.h"

namespace mdh::search {

struct EstimatedConfig {
  ll::Config config;
  double cost = 0;  // nanoseconds
};

/// Valid configurations, the one with the least estimated cost first, few of a kind. Machines
/// without registers or a layer of cores have none.
std::vector<EstimatedConfig> sketches(const hl::Program& program, const machine::Machine& machine,
                                      const model::Rates& rates, size_t count);

}  // namespace mdh::search
