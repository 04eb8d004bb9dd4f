// What a configuration says about code and generated code does not do yet.
#pragma once

#include <string>
#include <vector>

#include "mdh/driver/target.h"
#include "mdh/ll/code.h"
#include "mdh/machine/machine.h"

namespace mdh::driver {

/// The options that have no effect on a target's code, as they are written in files. None of them
/// changes what is computed.
std::vector<std::string> without_effect(const ll::Code& code, const machine::Machine& machine,
                                        const Target& target);

}  // namespace mdh::driver
