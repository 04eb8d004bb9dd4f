// The cores of this machine, and those that a new process may use.
#pragma once

#include <sched.h>

#include <string>
#include <utility>
#include <vector>

namespace mdh {

/// Cores of this machine that the operating system lets us use; at least one.
int available_cores();

/// While it lives, this thread may use all cores that this process had when it started, and so may
/// the processes that it starts. With OMP_PROC_BIND and its like, OpenMP confines the thread that
/// loads a compiled kernel to one core, which every later process would inherit: all of its threads
/// would share that core. Without these variables it does nothing, so that a caller who confines
/// itself confines what it starts.
class CoresOfStart {
 public:
  CoresOfStart();
  ~CoresOfStart();
  CoresOfStart(const CoresOfStart&) = delete;
  CoresOfStart& operator=(const CoresOfStart&) = delete;

 private:
  bool changed_ = false;
  cpu_set_t own_;  // what the thread had
};

/// Threads that are free to move may meet on one core, where one waits, spinning, for the other.
/// Variables that give each thread of OpenMP a core of its own; none if the user has set any.
std::vector<std::pair<std::string, std::string>> openmp_binding();

}  // namespace mdh
