// The configurations with which mdh computes the workloads.
#pragma once

#include <optional>
#include <string>

#include "bench/workloads.h"
#include "mdh/tuning/chosen_config.h"

namespace mdh::bench {

/// WORKLOAD.json of a folder, or, without a folder, of those inside for this class of machines;
/// nothing if there is none.
std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder);

}  // namespace mdh::bench
