#include "mdh/driver/devices.h"

#include <cstdio>

#include "tools/mdh/verbs.h"

namespace mdh::tool {

int devices() {
  for (const runtime::DeviceInfo& device : driver::all_devices()) {
    fmt::print("{}: {}\n", device.kind, device.name);
    for (const auto& [name, value] : device.details) fmt::print("  {}: {}\n", name, value);
  }
  return 0;
}

}  // namespace mdh::tool
