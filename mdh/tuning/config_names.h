// Configurations in the names of another program.
//
// A configuration speaks of the dimensions and buffers of the program that it was made for. Stored
// ones have positional names, so that they serve every program that is the same but for its names.
#pragma once

#include <map>
#include <string>

#include "mdh/ll/config.h"

namespace mdh::tuning {

/// Old names to new ones. What is not named here keeps its name.
struct ConfigNames {
  std::map<std::string, std::string> dimensions;
  std::map<std::string, std::string> buffers;
  friend bool operator==(const ConfigNames&, const ConfigNames&) = default;
};

/// The way back.
ConfigNames reversed(const ConfigNames& names);

/// The configuration with other names of dimensions, those that are fused from others included, and
/// of buffers. What it was made for (program, sizes, types) stays: it binds nothing.
ll::Config renamed(const ll::Config& config, const ConfigNames& names);

}  // namespace mdh::tuning
