// All CUDA devices of this machine.
#pragma once

#include "mdh/runtime/device.h"

namespace mdh::runtime::cuda {

const Runtime& runtime();

}  // namespace mdh::runtime::cuda
