// The devices of this machine, those of every back end.
#pragma once

#include "mdh/driver/target.h"
#include "mdh/machine/machine.h"
#include "mdh/runtime/device.h"
#include "mdh/tune/record.h"

namespace mdh::driver {

/// Where devices come from, one row per runtime. A runtime that is not there lists none.
struct DeviceSource {
  std::string runtime;
  std::vector<runtime::DeviceInfo> (*list)();
};

const std::vector<DeviceSource>& device_sources();

std::vector<runtime::DeviceInfo> all_devices();

/// The machine that a target is configured for unless the user names one, with the numbers of the
/// device where it has one.
machine::Machine machine_of(const Target& target, const std::string& device);

/// What a target computes on, as tuning records name it: this machine, or the device "opencl:1".
tune::MachineIdentity identity_of(const Target& target, const std::string& device);

}  // namespace mdh::driver
