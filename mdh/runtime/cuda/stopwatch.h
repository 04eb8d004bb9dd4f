// How long calls take, by the clock of the device.
#pragma once

#include <functional>
#include <memory>

#include "mdh/runtime/cuda/context.h"
#include "mdh/runtime/timer.h"

namespace mdh::runtime::cuda {

/// Puts the launches of one call into a stream.
using Launches = std::function<void(CuStream)>;

/// Each call of the result is one measurement. Calls that are so short that the clock and the way
/// from the host would count are measured many at a time, one behind the other in a graph. With
/// cold caches each is measured alone, and something twice as large as the second cache is written
/// before it.
std::function<Lap()> stopwatch(std::shared_ptr<const Context> context, Launches launches,
                               Caches caches);

}  // namespace mdh::runtime::cuda
