// The configurations with which mdh computes the workloads.
#pragma once

#include <optional>
#include <string>

#include "bench/workloads.h"
#include "mdh/tuning/chosen_config.h"

namespace mdh::bench {

/// WORKLOAD.json of a folder, or, without a folder, of those inside for a class of machines
/// ("avx2", "sm_90"); nothing if there is none. TARGET/WORKLOAD.json of the same places comes before
/// it, for what a target cannot do in the same way ("opencl").
std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder,
                                                 const std::string& machines,
                                                 const std::string& target = "");

/// The same for the class of this machine.
std::optional<tuning::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder);

}  // namespace mdh::bench
