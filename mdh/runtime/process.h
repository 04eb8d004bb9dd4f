// Running other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mdh::runtime {

struct Exit {
  int status = -1;     // exit code; 128 + signal if killed; -1 if it could not be started
  std::string output;  // stdout and stderr together
};

/// Runs a program without a shell and waits for it. The output goes through a file in `scratch`.
Exit run_program(const std::vector<std::string>& command, const std::filesystem::path& scratch);

/// The full path of a program on PATH, or nothing.
std::string find_program(const std::string& name);

}  // namespace mdh::runtime
