// mdh itself on a GPU, compiled.
#pragma once

#include <string>

#include "bench/candidates.h"
#include "mdh/driver/target.h"

namespace mdh::bench::gpu {

struct MdhOptions {
  const driver::Target* target = nullptr;
  std::string device;                                // "cuda:0"
  std::string machines;                              // the class of its configurations: "sm_90"
  std::string configs;                               // a folder; empty: those inside
  std::optional<std::vector<tune::Record>> records;  // instead of a folder
};

/// Without tuning: with the "default" configuration, or with the one that the "model" chooses.
Candidate untuned_candidate(const std::string& choice, const Instantiated& at,
                            const MdhOptions& options);

/// With the configuration of the workload, or the default one: if there is none, and if it is
/// refused, which the candidate says.
Candidate mdh_candidate(const Workload& workload, const Instantiated& at,
                        const MdhOptions& options);

}  // namespace mdh::bench::gpu
