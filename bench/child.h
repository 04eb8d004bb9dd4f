// A candidate in a process of its own, from the parent's side.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "bench/candidates.h"
#include "mdh/driver/memory.h"
#include "mdh/runtime/timer.h"

namespace mdh::bench {

/// The program of the process: one beside this one; "missing" if it is not there.
std::string find_runner(const std::string& program = "mdh-bench-runner");

/// Environment variables that give each thread of OpenMP a place of its own, as far from the others
/// as there is room: two threads that share a core by chance may do so for all of their life. None
/// for a library with threads of its own: OpenMP confines the calling thread, and threads that the
/// library makes later inherit that. None either if the user says something about places, or if
/// there are more threads than cores.
std::vector<std::pair<std::string, std::string>> places_for(const Candidate& candidate);

/// Between its turns the process is blocked and its threads are at rest. A process that crashes,
/// ends or takes too long has failed, for good.
class Child {
 public:
  /// Starts the process. `memory` is shared; the process has copies of its own.
  Child(const std::string& runner, const Candidate& candidate, const driver::Memory& memory,
        std::vector<bool> is_output, double time_limit);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits until the process is ready, or says why it never will be. Apart from the start, because
  /// many can get ready at the same time.
  void greet();

  /// Takes the inputs from the shared memory again. It may now tell more about itself.
  void load();

  /// Runs once, with the outputs that are in the shared memory, and puts the results there.
  void compute();

  /// Runs some times; microseconds of each, none after a failure.
  std::vector<double> time(int calls, runtime::Caches caches = runtime::Caches::warm);

  pid_t process() const { return process_; }
  const std::string& about() const { return about_; }

  /// Why it cannot take part: it is not installed.
  const std::string& absence() const { return absence_; }

  /// What went wrong: it crashed.
  const std::string& failure() const { return failure_; }

  bool is_usable() const { return absence_.empty() && failure_.empty(); }

 private:
  std::string ask(const std::string& command);
  std::string receive();
  void bury(const std::string& reason);

  double time_limit_;
  pid_t process_ = 0;
  int socket_ = -1;
  std::string about_, absence_, failure_;
};

}  // namespace mdh::bench
