// Configurations as the paper prints them: one row per level, one column per parameter.
#pragma once

#include <string>
#include <string_view>

#include "mdh/ll/config.h"

namespace mdh::ll {

/// A header that names program, sizes, types and machine, then the table. Rows are levels (l,d),
/// most significant layer first, and a last row for f; columns are the fifteen parameters. Orders
/// are ranks, outermost 1; places of several buffers are separated by commas.
std::string print_table(const Config& config, const hl::Program& program,
                        const machine::Machine& machine);

/// The configuration that a table describes.
Config parse_table(std::string_view text, const hl::Program& program,
                   const machine::Machine& machine, const std::string& file = "<table>");

}  // namespace mdh::ll
