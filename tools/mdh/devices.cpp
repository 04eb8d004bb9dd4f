#include "mdh/driver/devices.h"

#include <cstdio>

#include "tools/mdh/verbs.h"

namespace mdh::tool {

int devices() {
  for (const runtime::DeviceInfo& device : driver::all_devices()) {
    fmt::print("{}: {}\n", device.kind, device.name);
    for (const auto& [name, value] : device.details) fmt::print("  {}: {}\n", name, value);
  }
  for (const driver::Target& target : driver::targets()) {
    const std::string why = driver::why_no_device(target);
    if (!why.empty()) fmt::print("{}: no device: {}\n", target.name, why);
  }
  return 0;
}

}  // namespace mdh::tool
