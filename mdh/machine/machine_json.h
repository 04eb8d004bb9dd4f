// The file form of machines, for those that users describe. docs/machines.md explains the keys.
#pragma once

#include <string>
#include <string_view>

#include "mdh/machine/machine.h"

namespace mdh::machine {

/// Reads and verifies a machine. What is wrong is a user error with line and column, or with the
/// file in a note where the rules of `verify` are broken.
Machine parse_machine(std::string_view text, const std::string& file = "machine.json");

/// One line per layer, region and rule; parse_machine reads it back.
std::string print(const Machine& m);

}  // namespace mdh::machine
