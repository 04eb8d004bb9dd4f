// The machine that a time was measured on, as tuning records name it.
#pragma once

#include <string>

#include "mdh/tune/record.h"

namespace mdh::calibration {

/// This machine, as the system describes it; another one below another root.
tune::MachineIdentity host_identity(const std::string& root = "/");

}  // namespace mdh::calibration
