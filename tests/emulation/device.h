// A device that is no device: it runs printed kernels of GPUs on the host, item by item, and tells
// what a GPU might do with them on a bad day. docs/emulation.md says what it finds.
#pragma once

#include <memory>

#include "mdh/runtime/device.h"

namespace mdh::emulation {

/// The device "emulation". It takes every language of source.h. A call runs the module three times:
/// items and groups forwards, backwards and in random order. An error, of kind "wrong result", if
/// something is found or if results depend on the order.
std::shared_ptr<const runtime::Device> device();

/// Why there is none: a compiler is missing. Empty if there is one.
std::string missing_here();

}  // namespace mdh::emulation
