// The devices of this machine, those of every target.
#pragma once

#include "mdh/driver/target.h"
#include "mdh/machine/machine.h"
#include "mdh/tune/record.h"

namespace mdh::driver {

std::vector<runtime::DeviceInfo> all_devices();

/// Why a target has no device on this machine, such as a driver that is not installed; empty if it
/// has one.
std::string why_no_device(const Target& target);

/// The machine that a target is configured for unless the user names one, with the numbers of the
/// device ("opencl:1"; empty: the first one) where it has a grid.
machine::Machine machine_of(const Target& target, const std::string& device);

/// A machine that is named: one of the known ones, with the numbers of the device if it is there, or
/// a file of the user's, which is taken as it is.
machine::Machine machine_named(const std::string& name_or_file, const Target& target,
                               const std::string& device);

/// Puts the numbers of a device into the layers, regions and rules of a machine with a grid, by what
/// they are there for (ll/roles.h).
void take_numbers(const runtime::GridNumbers& numbers, machine::Machine& m);

/// A target as it is on a device of its: what the device knows better than its language does takes
/// the place of the facts in the row.
Target target_on(const Target& target, const runtime::Device& device);

/// The same by the name of the device, which may be a description of one; the row where there is
/// none.
Target target_on(const Target& target, const std::string& device);

/// What a target computes on, as tuning records name it: this machine, or one of its devices.
tune::MachineIdentity identity_of(const Target& target, const std::string& device);

}  // namespace mdh::driver
