// What was measured, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/measure.h"

namespace mdh::bench {

struct Report {
  std::string suite;
  MachineReport machine;
  std::string version;  // of mdh
  int threads = 1;
  int rounds = 0;
  std::vector<Result> results;
};

/// Time of a candidate over time of mdh; 0 if one of them was not measured.
double ratio(const Result& result, const Measured& candidate);

/// The fastest candidate that is neither mdh nor a prototype nor from a file of the user; none if
/// there is none.
const Measured* best_peer(const Result& result);

/// The geometric mean of the ratios of the best peers; 0 without any.
double mean_over_best_peers(const std::vector<Result>& results);

/// A row per workload: the rate of mdh, then the ratios; the best peer is marked with a star. Below
/// it what the signs mean, who was not there, and what went wrong.
std::string to_table(const Report& report);

/// One object, the times of every round included.
std::string to_json(const Report& report);

}  // namespace mdh::bench
