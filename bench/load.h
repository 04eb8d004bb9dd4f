// Is somebody else using the machine?
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace mdh::bench {

/// Seconds that all cores together were busy, from the text of /proc/stat: everything but idle and
/// waiting. Time that a hypervisor gave to others counts as busy: it was not ours.
double busy_seconds(const std::string& proc_stat);

/// The same, now; -1 where the system does not tell.
double busy_seconds();

/// Seconds of CPU that a process, with all its threads, has used; 0 if it is gone.
double cpu_seconds(pid_t process);

/// What happened between two moments.
struct Load {
  double wall = 0;  // seconds
  double busy = 0;  // of all cores together
  double own = 0;   // by the processes of the benchmark
  double idle = 0;  // by those of them whose turn it was not
  int cores = 1;
};

/// The part of the machine, from 0 to 1, that others used. The system counts in ticks of a
/// hundredth of a second; one tick per core is forgiven.
double foreign_share(const Load& load);

/// A round counts if others used at most this part of the machine, and candidates that wait for
/// their turn at most this part of a core.
constexpr double most_foreign = 0.03;
constexpr double most_idle = 0.03;
bool is_disturbed(const Load& load);

/// Takes the times of a round.
class LoadMeter {
 public:
  explicit LoadMeter(std::vector<pid_t> processes);

  /// The load since the meter was made. `idle` is what the caller found.
  Load since(double idle) const;

 private:
  double own_seconds() const;

  std::vector<pid_t> processes_;
  double wall_, busy_, own_;
};

}  // namespace mdh::bench
