// How long calls take, by the clock of the device.
#pragma once

#include <functional>

#include "mdh/runtime/opencl/kernel.h"
#include "mdh/runtime/timer.h"

namespace mdh::runtime::opencl {

/// Each call of the result is one measurement. Calls that are so short that the way from the host
/// would count are measured many at a time, one behind the other in the queue.
std::function<Lap()> stopwatch(std::function<RunTime(int calls)> run);

/// Clocks of devices may be too coarse for short runs; then the host's counts.
double device_time(const RunTime& time);

}  // namespace mdh::runtime::opencl
