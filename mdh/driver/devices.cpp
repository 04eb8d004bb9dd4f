#include "mdh/driver/devices.h"

#include "mdh/runtime/host/devices.h"

namespace mdh::driver {

const std::vector<DeviceSource>& device_sources() {
  static const std::vector<DeviceSource> table = {
      {"host", runtime::host::devices},
  };
  return table;
}

std::vector<runtime::DeviceInfo> all_devices() {
  std::vector<runtime::DeviceInfo> all;
  for (const DeviceSource& source : device_sources()) {
    for (runtime::DeviceInfo& device : source.list()) all.push_back(std::move(device));
  }
  return all;
}

}  // namespace mdh::driver
