#include "mdh/runtime/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "mdh/support/cores.h"
#include "mdh/support/text.h"

extern char** environ;

namespace mdh::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// A directory may be "executed", too, but it is no program.
bool is_program(const std::string& path) {
  std::error_code failure;
  return std::filesystem::is_regular_file(path, failure) && access(path.c_str(), X_OK) == 0;
}

std::string log_of(const Job& job) { return (job.scratch / "output.txt").string(); }

/// In a process group of its own, so that a compiler can be killed with the programs it starts.
/// The number of the process, or 0 if it could not be started.
pid_t start(const Job& job) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_of(job).c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> arguments;
  for (const std::string& word : job.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const CoresOfStart for_the_child;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : 0;
}

struct Running {
  size_t job;
  pid_t child;
  Clock::time_point deadline;
};

/// Looks after one process: true if it is over, and then `exit` says how.
bool is_over(const Running& running, const Job& job, Exit& exit) {
  if (!exit.timed_out && Clock::now() > running.deadline) {
    exit.timed_out = true;
    kill(-running.child, SIGKILL);
  }
  int status = 0;
  const pid_t found = waitpid(running.child, &status, WNOHANG);
  if (found == 0 || (found < 0 && errno == EINTR)) return false;
  if (found < 0) return true;  // somebody else has taken it: how it ended is not known
  exit.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream log(log_of(job), std::ios::binary);
  exit.output = {std::istreambuf_iterator<char>(log), {}};
  return true;
}

Clock::time_point deadline_after(double seconds) {
  if (seconds <= 0) return Clock::time_point::max();
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

bool Slots::take() {
  int free = free_.load();
  while (free > 0) {
    if (free_.compare_exchange_weak(free, free - 1)) return true;
  }
  return false;
}

namespace {

/// The programs of one call.
class Runs {
 public:
  Runs(const std::vector<Job>& jobs, const RunLimits& limits)
      : jobs_(jobs), limits_(limits), exits_(jobs.size()) {}

  std::vector<Exit> run() {
    // Waiting for one of several children is left to the clock: all other ways need signals, which
    // belong to the program that uses this library.
    constexpr std::chrono::microseconds shortest(200), longest(4000);
    std::chrono::microseconds pause = shortest;
    while (next_ < jobs_.size() || !running_.empty()) {
      if (limits_.is_cancelled && limits_.is_cancelled()) {
        kill_all();
        break;
      }
      if (start_some()) pause = shortest;
      std::erase_if(running_, [&](const Running& r) {
        const bool over = is_over(r, jobs_[r.job], exits_[r.job]);
        if (over) free_slot();
        return over;
      });
      if (running_.empty() && next_ == jobs_.size()) break;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest);
    }
    return std::move(exits_);
  }

 private:
  bool may_start() const {
    const bool has_room = running_.empty() || static_cast<int>(running_.size()) < limits_.at_once;
    return next_ < jobs_.size() && has_room && (!limits_.slots || limits_.slots->take());
  }

  void free_slot() const {
    if (limits_.slots) limits_.slots->give_back();
  }

  bool start_some() {
    const size_t before = next_;
    while (may_start()) {
      const pid_t child = start(jobs_[next_]);
      if (child > 0) {
        running_.push_back({next_, child, deadline_after(limits_.seconds)});
        constexpr int behind_all_others = 10;
        if (limits_.is_background) {
          setpriority(PRIO_PGRP, static_cast<id_t>(child), behind_all_others);
        }
      } else {
        free_slot();
      }
      ++next_;
    }
    return next_ > before;
  }

  void kill_all() {
    for (const Running& r : running_) {
      kill(-r.child, SIGKILL);
      int status = 0;
      while (waitpid(r.child, &status, 0) < 0 && errno == EINTR) {
      }
      free_slot();
    }
    running_.clear();
  }

  const std::vector<Job>& jobs_;
  const RunLimits& limits_;
  std::vector<Exit> exits_;
  std::vector<Running> running_;
  size_t next_ = 0;
};

}  // namespace

std::vector<Exit> run_programs(const std::vector<Job>& jobs, const RunLimits& limits) {
  return Runs(jobs, limits).run();
}

Exit run_program(const std::vector<std::string>& command, const std::filesystem::path& scratch,
                 double seconds) {
  return run_programs({{command, scratch}}, {.seconds = seconds}).front();
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* path = std::getenv("PATH");
  for (const std::string& directory : split(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    const std::string candidate = std::filesystem::path(directory) / name;
    if (is_program(candidate)) return candidate;
  }
  return {};
}

}  // namespace mdh::runtime
