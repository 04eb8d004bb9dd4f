// For tests and campaigns: the device they run on.
#pragma once

#include <cstdlib>

#include "mdh/runtime/opencl/device.h"

namespace mdh::runtime::opencl {

/// The device that MDH_TEST_DEVICE names, else the first one.
inline Device device_of_tests() {
  const char* named = std::getenv("MDH_TEST_DEVICE");
  return find_device(named == nullptr ? "opencl" : named);
}

}  // namespace mdh::runtime::opencl
