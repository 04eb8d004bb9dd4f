// A team of threads as compiled kernels have them.
#pragma once

#include <sched.h>

#include <functional>
#include <optional>
#include <vector>

namespace mdh::calibration {

/// The threads of the OpenMP library that compiled kernels are linked with. It is opened at run
/// time and stays open, for its threads live as long as the process.
class Team {
 public:
  /// Nothing where there is no such library.
  static std::optional<Team> of(int threads);

  int threads() const { return threads_; }

  /// Calls the body with the number of every thread at the same time, and waits for all. A body
  /// must not throw.
  void run(const std::function<void(int)>& body) const;

  /// In a body: waits for the others.
  void wait() const { barrier_(); }

 private:
  using Region = void (*)(void*);
  int threads_ = 1;
  void (*parallel_)(Region, void*, unsigned threads, unsigned flags) = nullptr;
  void (*barrier_)() = nullptr;
  int (*number_)() = nullptr;
};

/// While it lives, every thread of the team has a core of its own, if there are enough: where
/// others use the machine, the system may leave two threads on one core, which then wait for each
/// other.
class SpreadTeam {
 public:
  explicit SpreadTeam(const Team& team);
  ~SpreadTeam();
  SpreadTeam(const SpreadTeam&) = delete;
  SpreadTeam& operator=(const SpreadTeam&) = delete;

 private:
  const Team& team_;
  std::vector<cpu_set_t> before_;  // what each thread was allowed; empty if nothing was changed
};

}  // namespace mdh::calibration
