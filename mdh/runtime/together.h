// Short calls are measured many at a time: else the clock of the device, and the way from the host to
// it, would count.
#pragma once

#include "mdh/runtime/timer.h"

namespace mdh::runtime {

/// Of a call that was measured alone. The first call may take the host long. So may each one, where
/// the clock of a device is no real one.
bool is_short(const Lap& alone);

/// How many of such calls are one measurement.
int calls_together(const Lap& alone);

}  // namespace mdh::runtime
