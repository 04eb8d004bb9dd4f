// Whether other programs used the cores while something was timed.
//
// The system counts, for every thread, how long it was ready to run and did not: another one had
// its core. On a virtual machine it also counts the time that the host gave to others. Both are
// next to nothing while a process with no more threads than cores has the machine for itself.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "mdh/runtime/timer.h"

namespace mdh::runtime {

/// What the system has counted up to a moment.
struct CoreUse {
  std::chrono::steady_clock::time_point when;
  std::map<std::string, double> waited;  // seconds, by thread of this process
  double stolen = 0;                     // seconds, of all cores together, by the host
  int cores = 1;                         // of the machine
};

/// Zeros where the system does not say.
CoreUse core_use();

/// The larger of two shares of the time in between: that in which the thread that waited most
/// waited, and that which the host took away.
double load_between(const CoreUse& before, const CoreUse& after);

/// As measure_laps(), with the load meanwhile.
Timing measure_with_load(const std::function<Lap()>& lap, const TimingLimits& limits);

/// Beyond this load, a time says little about what was timed.
inline constexpr double most_load = 0.1;
inline bool is_loaded(const Timing& timing) { return timing.load > most_load; }

// ---- the texts of the system

/// Seconds of waiting in /proc/PID/task/TID/schedstat: "running waiting slices", in nanoseconds.
double waited_seconds(std::string_view schedstat);

/// Fills in the stolen time and the number of cores of /proc/stat.
void read_stolen(std::string_view stat, CoreUse& use);

}  // namespace mdh::runtime
