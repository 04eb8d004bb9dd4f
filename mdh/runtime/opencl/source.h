// The text that a driver compiles.
#pragma once

#include <span>
#include <string>

#include "mdh/kernel/module.h"

namespace mdh::runtime::opencl {

/// All modules as one source, complete: it says itself whether contraction is allowed, for which
/// there is no option.
std::string source_of(std::span<const kernel::Module> modules);

}  // namespace mdh::runtime::opencl
