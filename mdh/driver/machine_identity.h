// The machine that a time was measured on, as tuning records name it.
#pragma once

#include <string>

#include "mdh/driver/target.h"
#include "mdh/tune/record.h"

namespace mdh::driver {

/// This machine, as the system describes it; another one below another root.
tune::MachineIdentity host_identity(const std::string& root = "/");

/// What a target computes on: this machine, or the device "opencl:1".
tune::MachineIdentity identity_of(const Target& target, const std::string& device);

}  // namespace mdh::driver
