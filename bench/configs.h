// The configurations with which mdh computes the workloads.
#pragma once

#include <optional>
#include <string>

#include "bench/workloads.h"
#include "mdh/tuning/chosen_config.h"

namespace mdh::bench {

/// WORKLOAD.json of a folder, or, without a folder, of those inside for a class of machines
/// ("avx2", "sm_90"); nothing if there is none.
std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder,
                                                 const std::string& machines);

/// The same for the class of this machine.
std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder);

}  // namespace mdh::bench
