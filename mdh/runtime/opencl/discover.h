// Devices with the handles by which OpenCL knows them.
#pragma once

#include <vector>

#include "mdh/runtime/opencl/api.h"
#include "mdh/runtime/opencl/device.h"

namespace mdh::runtime::opencl {

struct Discovered {
  Device device;
  cl_platform_id platform;
  cl_device_id id;
};

/// "missing" if there is none.
std::vector<Discovered> discover(const Api& api);

}  // namespace mdh::runtime::opencl
