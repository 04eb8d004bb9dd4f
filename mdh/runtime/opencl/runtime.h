// All OpenCL devices of this machine.
#pragma once

#include "mdh/runtime/device.h"

namespace mdh::runtime::opencl {

const Runtime& runtime();

}  // namespace mdh::runtime::opencl
