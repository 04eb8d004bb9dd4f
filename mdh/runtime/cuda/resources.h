// What the assembler of CUDA says about the functions that it compiled.
#pragma once

#include <string_view>
#include <vector>

#include "mdh/runtime/device.h"

namespace mdh::runtime::cuda {

/// One entry per function that can be launched, in the order of the log, which a compiler prints
/// that was given --ptxas-options=-v. What a launch adds to local memory is not known there.
std::vector<Resources> resources_in_log(std::string_view log);

}  // namespace mdh::runtime::cuda
