// The devices of this machine, those of every back end.
#pragma once

#include "mdh/runtime/device.h"

namespace mdh::driver {

/// Where devices come from, one row per runtime. A runtime that is not there lists none.
struct DeviceSource {
  std::string runtime;
  std::vector<runtime::DeviceInfo> (*list)();
};

const std::vector<DeviceSource>& device_sources();

std::vector<runtime::DeviceInfo> all_devices();

}  // namespace mdh::driver
