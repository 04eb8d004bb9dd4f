// The devices of this machine, those of every target.
#pragma once

#include "mdh/driver/target.h"
#include "mdh/machine/machine.h"
#include "mdh/tune/record.h"

namespace mdh::driver {

std::vector<runtime::DeviceInfo> all_devices();

/// The machine that a target is configured for unless the user names one, with the numbers of the
/// device ("opencl:1"; empty: the first one) where it has a grid.
machine::Machine machine_of(const Target& target, const std::string& device);

/// What a target computes on, as tuning records name it: this machine, or one of its devices.
tune::MachineIdentity identity_of(const Target& target, const std::string& device);

}  // namespace mdh::driver
