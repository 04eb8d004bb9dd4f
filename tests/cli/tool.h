// The command line as its users meet it: a process with two output streams and an exit code.
#pragma once

#include <string>
#include <vector>

namespace mdh::test {

struct Outcome {
  int exit = -1;  // 128 + signal if killed
  std::string out;
  std::string err;
};

/// Runs a program; the first word is its path.
Outcome run_command(const std::vector<std::string>& words);

/// Runs mdh with these arguments.
Outcome mdh(const std::vector<std::string>& words);

/// The arguments of a command line written in one text, separated by single blanks.
Outcome mdh(const std::string& line);

/// Everything about an outcome, for the message of a failed test.
std::string describe(const Outcome& outcome);

bool contains(const std::string& text, const std::string& part);

}  // namespace mdh::test
