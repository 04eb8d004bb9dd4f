// Which compilers configurations are tried with.
#pragma once

#include <string>
#include <vector>

#include "mdh/driver/target.h"
#include "mdh/ll/config.h"

namespace mdh::tuning {

struct CompilerChoice {
  std::string compiler;  // empty: the usual one
  std::vector<std::string> flags;
};

/// Those of this machine that the best few are compiled by.
std::vector<CompilerChoice> compilers_here();

/// The same for a target: a device whose driver compiles leaves no choice.
std::vector<CompilerChoice> compilers_for(const driver::Target& target);

/// The one of them, with flags of its own, that compiles what is only tried.
CompilerChoice quick_compiler(const std::vector<CompilerChoice>& all);

ll::Config compiled_by(ll::Config config, const CompilerChoice& compiler);

}  // namespace mdh::tuning
