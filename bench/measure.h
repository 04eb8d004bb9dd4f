// Rounds: all candidates of a workload, verified, then measured in turn.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/candidates.h"
#include "bench/precise.h"
#include "bench/verifier.h"
#include "mdh/driver/verification.h"

namespace mdh::bench {

/// Whether a round is repeated if others use the cores. Times of a device do not depend on them.
enum class Watch { cores, nothing };

struct MeasureOptions {
  int rounds = 11;
  double turn_seconds = 0.05;  // what the runs of one candidate in one round should take
  int repeats = 10;            // rounds that may be repeated because others used the machine
  double time_limit = 120;     // seconds for one turn
  uint64_t seed = 1;
  std::string runner;
  Watch watch = Watch::cores;
  double most_calls = 1000;                                       // in one turn
  std::vector<runtime::Caches> caches = {runtime::Caches::warm};  // a turn with each
  Exactness exactness = Exactness::required;                      // of peers
  /// The result in f64, computed from the inputs in memory; none: deviations are not reported.
  std::function<std::optional<Precise>(const driver::Memory&)> precise = {};
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  /// Called before the rounds: whatever else goes on has to be over when it returns.
  std::function<void()> quiet = [] {};
};

enum class Standing { measured, absent, failed, wrong };

/// "measured", "absent", ...
std::string to_string(Standing standing);

struct Measured {
  Candidate candidate;
  Standing standing = Standing::absent;
  std::string note;  // version, or what is wrong
  driver::Verification verification;
  std::vector<double> round_us = {};     // the median of each round
  std::vector<double> cold_us = {};      // the same with cold caches, if they were asked for
  std::optional<double> deviation = {};  // from the result in f64, the largest of all elements
};

struct Result {
  Workload workload;
  std::vector<std::pair<std::string, int64_t>> sizes;
  double operations = 0, bytes = 0;
  double largest = 0;                // magnitude in the result in f64, if there is one
  std::vector<Measured> candidates;  // mdh first
  int repeated = 0;                  // rounds thrown away
  int disturbed = 0;                 // rounds that count although others used the machine
  double foreign = 0;                // the largest part of the machine they used in those
};

/// The candidates of a workload, each in a process that is ready. None has computed yet, so that
/// another workload's can get ready while this one's are verified.
class Contest {
 public:
  /// `at` stays where it is.
  Contest(const Workload& workload, const Instantiated& at,
          const std::vector<Candidate>& candidates, const MeasureOptions& options);
  ~Contest();
  Contest(Contest&&) noexcept;

  /// Once. Only candidates with right results are measured, and only if mdh's own result is right.
  Result measure(const MeasureOptions& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Both in turn.
Result measure(const Workload& workload, const Instantiated& at,
               const std::vector<Candidate>& candidates, const MeasureOptions& options);

}  // namespace mdh::bench
