// Code decisions that a back end ignores, for the note on stderr.
#pragma once

#include <string>
#include <vector>

#include "mdh/backend/backend.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"

namespace mdh::backend {

/// The options that have no effect on what a back end prints, as they are written in files. None of
/// them changes what is computed.
std::vector<std::string> without_effect(const ll::Config& config, const machine::Machine& machine,
                                        const Backend& backend);

}  // namespace mdh::backend
