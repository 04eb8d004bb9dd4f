// All runtimes that mdh is built with. Whoever has only the name of a device opens it here.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mdh/runtime/device.h"

namespace mdh::runtime {

std::span<const Runtime* const> runtimes();

/// A device by the name that it has for itself: "host", "opencl:1". A bug if no runtime has such
/// devices, "missing" if the device is not there.
std::shared_ptr<const Device> open_device(const std::string& name);

}  // namespace mdh::runtime
