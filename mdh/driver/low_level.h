// Decompositions for people: as text, counted, compared, read from files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/model/rates.h"

namespace mdh::driver {

/// The stages before any code: "ll", "table", "derivation", "footprint", "cost". Only the last one is about rates.
bool is_low_level_stage(const std::string& stage);
std::string print_low_level(const hl::Program& program, const machine::Machine& machine,
                            const ll::Config& config, const std::string& stage,
                            const model::Rates& rates);

/// What a valid configuration needs, as lines of text, and what of it is more than the machine has
/// without harm to the result.
struct Resources {
  std::string counts;
  std::vector<std::string> warnings;
};
Resources resources(const hl::Program& program, const machine::Machine& machine,
                    const ll::Config& config);

/// The differences of two configuration files as a table; "no difference" if there is none.
std::string compare_configs(const std::string& left_file, const std::string& right_file);

/// A configuration file; nothing if the file is a schedule, which needs a program and a machine.
std::optional<ll::Config> read_config(const std::string& file);

/// A schedule applied to a program on a machine.
ll::Config read_schedule(const std::string& file, const hl::Program& program,
                         const machine::Machine& machine);

}  // namespace mdh::driver
