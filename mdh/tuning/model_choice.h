// A configuration for a program that was never measured: the one with the least estimated cost.
#pragma once

#include <optional>
#include <vector>

#include "mdh/driver/executable.h"
#include "mdh/tuning/chosen_config.h"

namespace mdh::tuning {

/// Costs can be estimated: of compiled code on a CPU, and on devices whose threads run in warps, as the
/// language or the device says.
bool has_cost_model(const driver::Target& target, const machine::Machine& machine);

/// Where a choice pays off and costs can be estimated: all sizes known, at least 2^16 points. Below
/// that any configuration takes microseconds, and the default is one that people can read.
bool may_choose_by_model(const hl::Program& program, const driver::Target& target,
                         const machine::Machine& machine);

/// The best sketch (search/sketches.h) by estimate, for that many cores; the same one every time,
/// for the same rates of the machine (calibration/rates.h) and the same compiler. On devices with groups of threads the
/// compiler has a say: it is the best one that it finds registers for (without_spills.h). Nothing
/// where no sketch is valid: then there is the default.
std::optional<ChosenConfig> model_choice(const hl::Program& program, const driver::Target& target,
                                         const std::string& device, const machine::Machine& machine,
                                         int cores);

/// What runs without any record: what the model chooses where it may and can, else the default.
ChosenConfig untuned_choice(const hl::Program& program, const driver::Target& target,
                            const std::string& device, const machine::Machine& machine, int cores);

/// Configurations that were the best for other sizes, fitted to these, at most `count`: those that
/// are not estimated to be much slower than the chosen one. Estimates of configurations that differ
/// little err more than these do: whether one is faster has to be measured.
std::vector<ll::Config> rivals_of(const ll::Config& chosen, const hl::Program& program,
                                  const machine::Machine& machine, int cores,
                                  const std::vector<ll::Config>& starts, size_t count);

}  // namespace mdh::tuning
