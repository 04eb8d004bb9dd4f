// Whether a target works here at all.
#pragma once

#include <string>

#include "mdh/driver/target.h"
#include "mdh/runtime/worker/worker.h"

namespace mdh::driver {

/// Builds a small reduction for a device, runs it there, in the worker if there is one, and verifies
/// it. What it was compiled by or ran on, for people. The error says what is missing or wrong.
std::string try_out(const Target& target, const std::string& device, runtime::Worker* worker);

/// The names of all devices of a target: "opencl", "opencl:1"; none where a driver is missing.
std::vector<std::string> devices_of(const Target& target);

}  // namespace mdh::driver
