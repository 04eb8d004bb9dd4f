// How fast a machine is, with what is known of the device that a target computes on.
#pragma once

#include <string>

#include "mdh/driver/target.h"
#include "mdh/machine/machine.h"
#include "mdh/model/rates.h"

namespace mdh::driver {

/// As calibration::rates_of(); where threads run in groups, the device has its own rates
/// (calibration/grid_rates.h). What the machine says of itself counts. `device` may be empty, as
/// everywhere: the first one.
model::Rates rates_on(const Target& target, const std::string& device,
                      const machine::Machine& machine, int cores);

}  // namespace mdh::driver
