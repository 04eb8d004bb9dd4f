// A configuration for a program that was never measured: the one with the least estimated cost.
#pragma once

#include <optional>
#include <vector>

#include "mdh/driver/executable.h"

namespace mdh::driver {

/// Where a choice pays off and costs can be estimated: compiled code on a CPU, all sizes known, at
/// least 2^16 points. Below that any configuration takes microseconds, and the default is one that
/// people can read.
bool may_choose_by_model(const hl::Program& program, const Target& target,
                         const machine::Machine& machine);

/// The best sketch (sketches.h) by estimate, for that many cores; the same one every time, for the
/// same rates of the machine (rates.h). `starts` are configurations that were the best for other
/// sizes; one of those is preferred unless it is estimated to be much slower here. Nothing where no
/// sketch is valid: then there is the default.
std::optional<ChosenConfig> model_choice(const hl::Program& program,
                                         const machine::Machine& machine, int cores,
                                         const std::vector<ll::Config>& starts = {});

}  // namespace mdh::driver
