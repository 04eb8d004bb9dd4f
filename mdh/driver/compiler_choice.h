// Who compiles what is measured.
#pragma once

#include <string>
#include <vector>

namespace mdh::driver {

struct CompilerChoice {
  std::string compiler;  // empty: whichever there is
  std::vector<std::string> flags;
};

/// Compilers that the best few are compiled by.
std::vector<CompilerChoice> compilers_here();

/// What compiles many configurations cheaply; one of those that are here.
CompilerChoice quick_compiler(const std::vector<CompilerChoice>& all);

}  // namespace mdh::driver
