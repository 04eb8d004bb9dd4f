// Which compilers configurations are tried with.
#pragma once

#include <string>
#include <vector>

#include "mdh/ll/config.h"

namespace mdh::tuning {

struct CompilerChoice {
  std::string compiler;  // empty: the usual one
  std::vector<std::string> flags;
};

/// Those of this machine that the best few are compiled by.
std::vector<CompilerChoice> compilers_here();

/// The one of them, with flags of its own, that compiles what is only tried.
CompilerChoice quick_compiler(const std::vector<CompilerChoice>& all);

ll::Config compiled_by(ll::Config config, const CompilerChoice& compiler);

}  // namespace mdh::tuning
