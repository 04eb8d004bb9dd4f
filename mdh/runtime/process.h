// Running other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mdh::runtime {

struct Exit {
  int status = -1;         // exit code; 128 + signal if killed; -1 if it could not be started
  std::string output;      // stdout and stderr together
  bool timed_out = false;  // killed, with all that it started, because it took too long
};

/// Runs a program without a shell and waits for it. The output goes through a file in `scratch`.
/// `seconds` limits its time; 0 does not.
Exit run_program(const std::vector<std::string>& command, const std::filesystem::path& scratch,
                 double seconds = 0);

/// A program to run, with a folder of its own for its output.
struct Job {
  std::vector<std::string> command;
  std::filesystem::path scratch;
};

/// Runs programs, at most `at_once` at the same time and each for at most `seconds`; what became of
/// them, in the order of the jobs.
std::vector<Exit> run_programs(const std::vector<Job>& jobs, int at_once, double seconds = 0);

/// The full path of a program on PATH, or nothing.
std::string find_program(const std::string& name);

}  // namespace mdh::runtime
