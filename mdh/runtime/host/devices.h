// This machine as a device.
#pragma once

#include "mdh/runtime/device.h"

namespace mdh::runtime::host {

/// The host: cores, and each compiler with its version and the instruction set it may use here.
std::vector<DeviceInfo> devices();

}  // namespace mdh::runtime::host
