// Running other programs.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
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

/// So many programs at the same time, whoever starts them: several calls of run_programs share it.
class Slots {
 public:
  explicit Slots(int count) : free_(count) {}
  bool take();
  void give_back() { ++free_; }

 private:
  std::atomic<int> free_;
};

struct RunLimits {
  int at_once = 1;     // programs at the same time
  double seconds = 0;  // for each of them; 0: none
  /// They get out of the way of whoever else wants a core.
  bool is_background = false;
  std::shared_ptr<Slots> slots = nullptr;  // none: nobody else counts
  /// Asked every few milliseconds: as soon as it says so, all are killed and no more are started.
  std::function<bool()> is_cancelled = nullptr;
};

/// Runs programs; what became of them, in the order of the jobs.
std::vector<Exit> run_programs(const std::vector<Job>& jobs, const RunLimits& limits);

/// The full path of a program on PATH, or nothing.
std::string find_program(const std::string& name);

}  // namespace mdh::runtime
