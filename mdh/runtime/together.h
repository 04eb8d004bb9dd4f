// Short calls are measured many at a time: else the clock of the device, and the way from the host to
// it, would count.
#pragma once

#include "mdh/runtime/timer.h"

namespace mdh::runtime {

/// Whether a call that was measured alone should be measured together with others. Not where it took
/// the host long: the first call may, and each one, where the clock of a device is no real one.
bool is_short(const Lap& alone);

/// How many of such calls are one measurement.
int calls_together(const Lap& alone);

}  // namespace mdh::runtime
